"""Every state as XML, brief and full, compared element by element with the forms that clients were written against."""

import re
from xml.etree import ElementTree

import pytest

from services.lobby import views, xml
from services.lobby.channels import Channel, Criterion, Situation, Wait
from services.lobby.machine import Value
from shared.ids import new_id
from tests.conftest import Guest
from tests.support.client import Player
from tests.support.lobby import Seat, make_table, search

pytestmark = pytest.mark.both_databases

# The forms, with the three that were malformed mended: `begin` and `okbegin` have no dots, a watcher is closed.
SUBSCRIBED_BRIEF = '<state value="subscribed"><room id="R"/></state>'
SUBSCRIBED = """<state value="subscribed"><room id="R">
  <table id="T" created="1" players="1" watchers="0" bet="0"/></room></state>"""
FIND = """<state value="find"><queue name="Q">
  <criteria game_type="xsos" num_seats="2" cash_bet="0"/>
  <criteria game_type="tsuro" num_seats="2,3" cash_bet="0"/></queue></state>"""
BEGIN = """<state value="{value}"><wait name="begin" value="1" tick="1"/>
  <criteria game_type="xsos" num_seats="2" cash_bet="0"/></state>"""
GAME_BRIEF = '<state value="{value}"><game id="G" type="xsos"/></state>'
PLAYER = '<player box="{box}" nick="N" avatar="A" timeBank="1" timeBankTick="1" lvl="1"/>'
GAME = f"""<state value="game"><gamestate/><gameinfo id="G" name="N"/><self box="0"/>
  <players>{PLAYER.format(box=0)}{PLAYER.format(box=1)}</players><watchers/>
  <waits><wait box="0" name="move" tick="1" value="1" timeBank="1"/></waits></state>"""
REVANCHE = '<state value="revanche"><game id="G" type="xsos"/><wait name="revanche" tick="1" value="1"/></state>'
CHAT_BRIEF = '<state value="chat" id="C"/>'
CHAT = """<state value="chat" id="C"><chat event="setup" users="1" topic="T">
  <chat event="join" uid="U" ts="1" nick="N" avatar="A"/>
  <chat event="msg" uid="U" ts="1" nick="N" avatar="A">hello</chat></chat></state>"""

Shape = tuple[str, tuple[str, ...], tuple[object, ...]]


def shape(text: str) -> Shape:
    """Elements, the names of their attributes and their children, in order."""
    return _shape(ElementTree.fromstring(text.split("?>")[-1]))


def _shape(element: ElementTree.Element) -> Shape:
    return element.tag, tuple(sorted(element.attrib)), tuple(_shape(child) for child in element)


async def brief(seat: Seat) -> str:
    """The state in the list of channels."""
    headers = {**seat.player.credentials, "Accept": "application/xml"}
    text = (await seat.player.http.get("/lobby/channels", headers=headers)).text
    root = ElementTree.fromstring(text)
    assert root.tag == "channels"
    [channel] = [each for each in root if each.get("id") == seat.id]
    assert set(channel.attrib) == {"id", "tag"}
    return ElementTree.tostring(channel[0], encoding="unicode")


async def assert_forms(seat: Seat, brief_form: str, full_form: str) -> None:
    value = re.search('value="([a-z]+)"', full_form)
    assert value is not None
    for found, form in ((await brief(seat), brief_form), (await seat.xml(), full_form)):
        assert shape(found) == shape(form)
        assert ElementTree.fromstring(found.split("?>")[-1]).get("value") == value[1]


@pytest.fixture
async def seat(ann: Player) -> Seat:
    return await Seat.open(ann, 'a "tag" & <more>')


async def test_free(seat: Seat) -> None:
    await assert_forms(seat, '<state value="free"/>', '<state value="free"/>')


async def test_subscribed(seat: Seat) -> None:
    await make_table(seat.player, 2, "tsuro")
    await seat.do("subscribe", {"room": "tsuro"})
    assert shape(await brief(seat)) == shape(SUBSCRIBED_BRIEF)
    root = ElementTree.fromstring((await seat.xml()).split("?>")[-1])
    [room] = list(root)
    [form] = list(ElementTree.fromstring(SUBSCRIBED))
    assert len(room) >= 1
    assert {_shape(table) for table in room} == {_shape(form[0])}


async def test_find(seat: Seat) -> None:
    criteria = [{"game_type": "xsos", "num_seats": 2}, {"game_type": "tsuro", "num_seats": "2,3", "cash_bet": [0]}]
    await seat.do("find", {"queue": new_id(), "criteria": criteria})
    await assert_forms(seat, FIND, FIND)
    root = ElementTree.fromstring((await seat.xml()).split("?>")[-1])
    assert [each.attrib for each in root[0]] == [
        {"game_type": "xsos", "num_seats": "2", "cash_bet": "0"},
        {"game_type": "tsuro", "num_seats": "2,3", "cash_bet": "0"},
    ]


async def test_from_begin_to_the_rematch(seat: Seat, guest: Guest) -> None:
    other, queue = await Seat.open(await guest("Bob")), new_id()
    for each in (seat, other):
        await each.do("find", search(queue))
    await seat.until("begin")
    await assert_forms(seat, BEGIN.format(value="begin"), BEGIN.format(value="begin"))
    await seat.do("begin")
    await assert_forms(seat, BEGIN.format(value="okbegin"), BEGIN.format(value="okbegin"))
    await other.until("begin")
    await other.do("begin")
    await seat.until("game")
    await assert_forms(seat, GAME_BRIEF.format(value="game"), GAME)
    game = (await other.until("game"))["game"]["id"]
    await seat.do("leave")
    await assert_forms(seat, GAME_BRIEF.format(value="leave"), GAME_BRIEF.format(value="leave"))
    await seat.do("return")
    await other.player.resign(game)
    await seat.until("revanche")
    await assert_forms(seat, GAME_BRIEF.format(value="revanche"), REVANCHE)
    await seat.do("revanche")
    await assert_forms(seat, GAME_BRIEF.format(value="okrevanche"), GAME_BRIEF.format(value="okrevanche"))


async def test_watch(seat: Seat, guest: Guest) -> None:
    players = [await Seat.open(await guest(nick)) for nick in ("Bob", "Cid")]
    table = await make_table(seat.player)
    for each in players:
        await each.do("join", {"table": table})
    await seat.do("watch", {"table": table})
    without_self = GAME.replace('<self box="0"/>', "").replace('value="game"', 'value="watch"')
    await assert_forms(seat, GAME_BRIEF.format(value="watch"), without_self)


async def test_chat(seat: Seat) -> None:
    await seat.do("chatjoin", {"room": await make_table(seat.player)})
    await seat.do("chatmsg", {"text": "hello"})
    while shape(await seat.xml()) != shape(CHAT):
        assert len(shape(await seat.xml())[2][0][2]) < 3  # type: ignore[index]
    await assert_forms(seat, CHAT_BRIEF, CHAT)


async def test_taketurn_and_takeplace(seat: Seat, guest: Guest) -> None:
    table = await make_table(seat.player)
    await seat.do("taketurn", {"table": table})
    form = '<state value="takeplace" tableId="T" box="0"/>'
    await assert_forms(seat, form, form)
    last, waiting = [await Seat.open(await guest(nick)) for nick in ("Bob", "Cid")]
    await last.do("takeplace", {"table": table, "box": 1})
    await waiting.do("taketurn", {"table": table})
    await assert_forms(waiting, '<state value="taketurn" tableId="T"/>', '<state value="taketurn" tableId="T"/>')


def test_a_currency_is_shown_when_there_is_one() -> None:
    state = Situation(Value.LEAVE, game="g", game_type="durak", currency="fun")
    root = ElementTree.fromstring(xml.state(views.full(state, 0, {})))
    assert root[0].attrib == {"id": "g", "type": "durak", "currency": "fun"}


def test_what_xml_cannot_carry_is_left_out() -> None:
    channel = {"id": "c", "tag": "a\x00b\ufffe", "state": {"value": "free"}}
    assert ElementTree.fromstring(xml.channels([channel]))[0].get("tag") == "ab"


def test_lists_are_joined_by_commas() -> None:
    state = Situation(Value.FIND, queue="q", criteria=(Criterion("durak", (2, 3), (200, 1000)),))
    [[criteria]] = ElementTree.fromstring(xml.state(views.brief(state, 0)))
    assert criteria.attrib == {"game_type": "durak", "num_seats": "2,3", "cash_bet": "200,1000"}


def test_a_wait_shows_the_whole_and_what_has_passed() -> None:
    channel = Channel("c", "", 1, Situation(Value.TAKEPLACE, table="t", box=1, wait=Wait(100, 400)))
    assert views.brief(channel.state, 150)["wait"] == {"name": "sitdown", "value": 300, "tick": 50}
    assert views.brief(channel.state, 900)["wait"]["tick"] == 300
