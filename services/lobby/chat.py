"""A chat: who is in it, what was said lately, and who is muted; folded from facts. Pure."""

import re
from typing import TypeAlias, assert_never

import msgspec

from services.lobby.channels import Who
from services.lobby.letters import ChatJoin, ChatKept, ChatLeave, ChatSay, Out, ToChat
from shared.ids import UserId

_change = msgspec.structs.replace

REMEMBERED = 100  # entries in the full state
LONGEST = 500  # characters of a message
XML_CANNOT_CARRY = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Line(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """An entry as it is shown; `n` is its number in the chat."""

    n: int
    event: str  # msg, join or leave
    who: Who
    ts: int
    text: str | None = None


class Chat(msgspec.Struct, frozen=True, gc=False):
    members: dict[str, Who] = {}  # by channel
    lines: tuple[Line, ...] = ()
    mutes: dict[str, int] = {}  # until when, by user
    number: int = 0
    handled: dict[str, str] = {}

    def is_muted(self, user: UserId, now: int) -> bool:
        return self.mutes.get(user, 0) > now


class Joined(msgspec.Struct, frozen=True, gc=False, tag="joined"):
    """`stay` is the number of the joining entry in the user's feed."""

    who: Who
    ts: int
    stay: int


class Left(msgspec.Struct, frozen=True, gc=False, tag="left"):
    who: Who
    ts: int


class Said(msgspec.Struct, frozen=True, gc=False, tag="said"):
    who: Who
    ts: int
    text: str


class Muted(msgspec.Struct, frozen=True, gc=False, tag="muted"):
    user: UserId
    until: int


ChatFact: TypeAlias = Joined | Left | Said | Muted


def evolve(chat: Chat | None, fact: ChatFact, at: int) -> Chat:
    chat = chat or Chat()
    chat = _change(chat, number=chat.number + 1)
    line = shown(fact, chat.number)
    if line is not None:
        chat = _change(chat, lines=(*chat.lines, line)[-REMEMBERED:])
    match fact:
        case Joined(who=who):
            return _change(chat, members={**chat.members, who.channel: who})
        case Left(who=who):
            return _change(chat, members={k: v for k, v in chat.members.items() if k != who.channel})
        case Said():
            return chat
        case Muted(user=user, until=until):
            return _change(chat, mutes={**{k: v for k, v in chat.mutes.items() if v > at}, user: until})
        case _:
            assert_never(fact)


def shown(fact: ChatFact, n: int) -> Line | None:
    match fact:
        case Joined(who=who, ts=ts):
            return Line(n, "join", who, ts)
        case Left(who=who, ts=ts):
            return Line(n, "leave", who, ts)
        case Said(who=who, ts=ts, text=text):
            return Line(n, "msg", who, ts, text)
        case Muted():
            return None
        case _:
            assert_never(fact)


def decide(chat_id: str, chat: Chat | None, letter: ToChat, now: int) -> tuple[list[ChatFact], list[Out]]:
    """The fact that a letter makes, and the same for the history; nothing if it no longer fits."""
    members = chat.members if chat else {}
    fact: ChatFact | None = None
    match letter:
        case ChatJoin(who=who, ts=ts, stay=stay):
            fact = Joined(who, ts, stay) if who.channel not in members else None
        case ChatLeave(who=who, ts=ts):
            fact = Left(who, ts) if who.channel in members else None
        case ChatSay(who=who, ts=ts, text=text):
            muted = chat is not None and chat.is_muted(who.user, now)
            fact = Said(who, ts, text) if who.channel in members and not muted else None
        case _:
            assert_never(letter)
    if fact is None:
        return [], []
    line = shown(fact, (chat.number if chat else 0) + 1)
    assert line is not None, "joining, leaving and speaking are shown"
    return [fact], [("history", kept(chat_id, line))]


def kept(chat_id: str, line: Line) -> ChatKept:
    who = line.who
    return ChatKept(chat_id, line.n, line.event, who.user, who.nick, who.avatar, line.ts, line.text)


def cleaned(text: str) -> str:
    """Without what XML cannot carry, and without space around it."""
    return XML_CANNOT_CARRY.sub("", text).strip()
