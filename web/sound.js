// A few soft notes, made on the spot and only for those who switched them on.

import { soundOn } from "./settings.js";

const NOTES = { move: [440], turn: [523, 659], over: [392, 523, 659], bad: [196] };
let audio;

/** @param {keyof typeof NOTES} name */
export function sound(name) {
  if (!soundOn()) return;
  audio ??= new AudioContext();
  NOTES[name].forEach((pitch, i) => note(pitch, audio.currentTime + i * 0.12));
}

function note(pitch, at) {
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.type = "triangle";
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.0001, at);
  volume.gain.exponentialRampToValueAtTime(0.12, at + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.25);
  tone.connect(volume).connect(audio.destination);
  tone.start(at);
  tone.stop(at + 0.3);
}
