"""The forms of PARLOR_REDIS_URL: one server, a cluster, or a primary that sentinels know."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from redis.asyncio.connection import parse_url

FORMS = (
    "redis://host:port/db, rediss://host:port/db, unix:///path, redis+cluster://host:port,host:port,… "
    "or redis+sentinel://host:port,host:port,…/<primary's name>/db"
)
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\s:/?#@,\[\]]+)(?::(?P<port>\d{1,5}))?")
_CLUSTER_PORT, _SENTINEL_PORT = 6379, 26379

Place = tuple[str, int]


class BadAddress(ValueError):
    """Says what is wrong, and what would be right."""

    def __init__(self, wrong: str) -> None:
        super().__init__(f"{wrong}. It has one of these forms: {FORMS}")


@dataclass(frozen=True)
class Address:
    """`places` to ask first; none if the one server is `url` itself."""

    url: str
    kind: str = "single"
    places: tuple[Place, ...] = ()
    primary: str = ""
    db: int = 0
    scheme: str = "redis"
    login: str = ""
    options: str = ""

    def at(self, place: Place) -> str:
        """The URL of one server, with the login and the options that hold for all."""
        return self._url(self.login, place, self.db, self.options)

    def sentinel_at(self, place: Place) -> str:
        """The URL of one sentinel, whose login is its own."""
        options = dict(parse_qsl(self.options))
        given = {name[len("sentinel_") :]: value for name, value in options.items() if name.startswith("sentinel_")}
        others = {name: value for name, value in options.items() if not name.startswith("sentinel_")}
        return self._url("", place, 0, urlencode({**others, **given}))

    def _url(self, login: str, place: Place, db: int, options: str) -> str:
        host = f"[{place[0]}]" if ":" in place[0] else place[0]
        if login:
            options = urlencode([each for each in parse_qsl(options) if not each[0].startswith("sentinel_")])
            host = f"{login}@{host}"
        return f"{self.scheme}://{host}:{place[1]}/{db}{'?' if options else ''}{options}"


def parsed(url: str) -> Address:
    """Raises BadAddress."""
    parts = urlsplit(url)
    scheme, _, kind = parts.scheme.partition("+")
    if not kind:
        return _single(url)
    if scheme not in ("redis", "rediss") or kind not in ("cluster", "sentinel"):
        raise BadAddress(f"{parts.scheme}:// is not known")
    login, _, hosts = parts.netloc.rpartition("@")
    path = [unquote(part) for part in parts.path.split("/") if part]
    if kind == "cluster":
        if path not in ([], ["0"]):
            raise BadAddress("A cluster has one database, so that nothing may follow its hosts")
        return Address(url, kind, _places(hosts, _CLUSTER_PORT), "", 0, scheme, login, parts.query)
    if not path:
        raise BadAddress("The name of the primary, as the sentinels know it, must follow their hosts")
    if len(path) > 2 or (len(path) == 2 and not path[1].isdecimal()):
        raise BadAddress("Nothing but a database's number may follow the primary's name")
    db = int(path[1]) if len(path) == 2 else 0
    return Address(url, kind, _places(hosts, _SENTINEL_PORT), path[0], db, scheme, login, parts.query)


def _single(url: str) -> Address:
    try:
        parse_url(url)
    except ValueError as error:
        raise BadAddress(str(error).rstrip(".")) from None
    return Address(url)


def _places(hosts: str, default: int) -> tuple[Place, ...]:
    found = []
    for host in hosts.split(","):
        match = _HOST.fullmatch(host)
        if match is None or not 0 < int(match["port"] or default) < 65536:
            raise BadAddress(f"{host!r} is no host and port" if host else "A host is missing")
        found.append((match["name"].strip("[]"), int(match["port"] or default)))
    return tuple(found)
