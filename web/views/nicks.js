// Names for those who have none in mind.

const FIRST = ["Quiet", "Amber", "Lucky", "Brisk", "Merry", "Clever", "Mossy", "Gentle", "Bold", "Sunny"];
const SECOND = ["Fox", "Heron", "Otter", "Lynx", "Wren", "Badger", "Hare", "Owl", "Finch", "Marten"];

const one = (words) => words[Math.floor(Math.random() * words.length)];

export const someNick = () => `${one(FIRST)} ${one(SECOND)}`;
