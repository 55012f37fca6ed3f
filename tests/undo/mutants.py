"""The engine with one rule of the undo protocol removed or bent, and what must notice."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from services.session import clocks, decide, match, undo, views
from services.session.facts import UndoAsked, Undone, UndoRejected
from services.session.match import Status
from services.session.undo import Answer
from shared.kernel import Message, Refusal

_change = msgspec.structs.replace


class Mutant(NamedTuple):
    name: str
    caught_by: str
    module: Any
    attribute: str
    bend: Callable[[Any], Any]  # from the rule to its mutant


def _when(condition: Callable[..., Any], instead: Callable[..., Any]) -> Callable[[Any], Any]:
    """The rule, but for some arguments something else."""

    def bend(rule: Any) -> Any:
        return lambda *args: instead(rule, *args) if condition(*args) else rule(*args)

    return bend


def _always(instead: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda rule: lambda *args: instead(rule, *args)


def _on(fact: type, then: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """A fact also does something else to the match."""

    def bend(apply: Any) -> Any:
        def bent(game: Any, before: Any, what: Any, *rest: Any) -> Any:
            after = apply(game, before, what, *rest)
            return then(before, after) if isinstance(what, fact) else after

        return bent

    return bend


def _telling(fact: type, then: Callable[..., list[Message]]) -> Callable[[Any], Any]:
    """A fact is told in another way."""

    def bend(told: Any) -> Any:
        def bent(game: Any, before: Any, what: Any, after: Any, viewer: Any, at: int) -> Any:
            messages = told(game, before, what, after, viewer, at)
            return then(messages, game, before, what, viewer) if isinstance(what, fact) else messages

        return bent

    return bend


def _is(word: Answer) -> Callable[..., bool]:
    return lambda match, box, given, seen, now: given is word


def _nothing_pending(match: Any, box: Any, given: Any, *rest: Any) -> bool:
    return given is Answer.APPROVE and match.status is Status.ACTIVE and match.undo is None and match.last is not None


def _with_the_board_as_it_was(messages: list[Message], game: Any, before: Any, *rest: Any) -> list[Message]:
    return [Message(m.event, {**m.data, "board": before.position.cells}) if "board" in m.data else m for m in messages]


def _resolved_on_refusal(play: Any, game: Any, state: Any, *rest: Any) -> Any:
    verdict = play(game, state, *rest)
    return undo.overtaken(state) if isinstance(verdict, Refusal) and state.undo else verdict


def _ends_whatever_is_pending(rule: Any, before: Any, by: Any, at: int) -> Any:
    return rule(before, before.undo.by if before.undo else by, at)


def _told_to_all(messages: list[Message], game: Any, before: Any, fact: Any, viewer: Any) -> list[Message]:
    return [Message(f"{fact.how}_undo", {"by": fact.by})]


def _asked_of_all(messages: list[Message], game: Any, before: Any, fact: Any, viewer: Any) -> list[Message]:
    return [Message("request_undo", {"by": fact.by, "deadline_ms": 1})]


def _any_last(match: Any, box: Any) -> bool:
    return match.status is Status.ACTIVE and match.last is not None


def _own_last(match: Any, box: Any) -> bool:
    return _any_last(match, box) and match.last.box == box and match.undo is None


MUTANTS = [
    Mutant("a stone may be asked for twice", "ban", undo, "is_allowed", _always(lambda _, *a: _own_last(*a))),
    Mutant("one may ask after the other has moved", "ban", undo, "is_allowed", _always(lambda _, *a: _any_last(*a))),
    Mutant("a request that was sent in time is refused", "answered", undo, "_crosses", _always(lambda *_: False)),
    Mutant("a late request passes for one that crossed", "ban", undo, "_crosses",
           _always(lambda rule, m, box, seen: rule(m, box, -1))),
    Mutant("a request that crossed ends the other's", "once", match, "_undo_rejected",
           _always(_ends_whatever_is_pending)),
    Mutant("a request that crossed may be sent again", "ban", match, "_undo_rejected",
           _when(lambda m, by, at: m.undo is None, lambda _, m, *a: m)),
    Mutant("a play leaves the request pending", "once", undo, "overtaken", _always(lambda *_: ())),
    Mutant("a refused play resolves the request", "turns", decide, "_play", _always(_resolved_on_refusal)),
    Mutant("an approval is taken after the play", "consent", undo, "answer",
           _when(_nothing_pending, lambda _, m, *a: (Undone(m.last.box),))),
    Mutant("an approval is taken after the deadline", "consent", undo, "answer",
           _always(lambda rule, m, box, given, seen, now: rule(m, box, given, seen, 0))),
    Mutant("an approval that came late is answered like one in time", "answered", undo, "answer",
           _when(_is(Answer.APPROVE), lambda rule, *a: v if isinstance(v := rule(*a), tuple) else ())),
    Mutant("an answer is taken for a later request", "consent", undo, "answer",
           _always(lambda rule, m, box, given, seen, now: rule(m, box, given, None, now))),
    Mutant("one may approve one's own request", "consent", undo, "answer",
           _when(lambda m, box, *a: m.undo and m.undo.by == box, lambda _, m, box, *a: (Undone(box),))),
    Mutant("a rejection takes the stone back", "once", undo, "answer",
           _when(_is(Answer.REJECT), lambda rule, m, box, given, *a: rule(m, box, Answer.APPROVE, *a))),
    Mutant("an automatic rejection is not obeyed", "once", undo, "answer",
           _when(_is(Answer.AUTO_REJECT), lambda *_: ())),
    Mutant("the timer does nothing", "once", decide, "_expire", _always(lambda *_: ())),
    Mutant("no timer is set", "deadline", decide, "deadline", _always(lambda *_: 0)),
    Mutant("the timer fires before its time", "once", decide, "_expire",
           _when(lambda g, m, *a: m.undo, lambda _, g, m, *a: (UndoRejected(m.undo.by, "timeup_reject"),))),
    Mutant("a resignation rejects the request", "once", decide, "_resign",
           _when(lambda g, m, *a: m.undo, lambda rule, g, m, *a: (*undo.overtaken(m), *rule(g, m, *a)))),
    Mutant("the verdict is told twice", "once", views, "_told", _telling(UndoRejected, lambda told, *_: told * 2)),
    Mutant("the verdict is told to all", "once", views, "_told", _telling(UndoRejected, _told_to_all)),
    Mutant("the requester is asked too", "addressed", views, "_told", _telling(UndoAsked, _asked_of_all)),
    Mutant("the response precedes the verdict", "order", decide, "_play",
           _always(lambda rule, *a: v[::-1] if isinstance(v := rule(*a), tuple) else v)),
    Mutant("the undone response shows the old board", "told", views, "_told",
           _telling(Undone, _with_the_board_as_it_was)),
    Mutant("the undone response does not say so", "order", views, "_told",
           _telling(Undone, lambda told, *_: [Message(m.event, {**m.data, "undone": False}) for m in told])),
    Mutant("a changed sync word is told to nobody", "told", views, "_signals", _always(lambda *_: None)),
    Mutant("the undo word is stale", "agreement", views, "_undo_word",
           _when(lambda m, v: m.undo is None and m.last and m.last.asked, lambda *_: "allow")),
    Mutant("the stone that was taken back can be asked for", "ban", match, "_apply",
           _on(Undone, lambda before, after: _change(after, last=_change(before.last, asked=False)))),
    Mutant("the stone that was taken back stays", "told", match, "_apply",
           _on(Undone, lambda before, after: _change(after, position=before.position))),
    Mutant("the requester may move meanwhile", "one mover", match, "_apply",
           _on(UndoAsked, lambda before, after: _change(after, acting=(before.last.box,)))),
    Mutant("the approver's turn is lost", "one mover", match, "_apply",
           _on(UndoRejected, lambda before, after: _change(after, acting=()))),
    Mutant("the clock runs on while a request is pending", "clock", clocks, "paused",
           _always(lambda _, clock, at: clock)),
]  # fmt: skip
