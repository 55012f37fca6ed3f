"""The image's recipe, the compose file and the ingress are sound as far as can be told without a Docker engine."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import Metric
from prometheus_client.metrics import MetricWrapperBase

from shared import metrics
from tests.support.ingress import Ingress, nginx_binary
from tests.support.product import START_SECONDS, Server, short_directory

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TOOLS = Path(sys.executable).parent


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return loaded


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)


def test_the_dockerfile_has_nothing_that_hadolint_warns_of() -> None:
    linted = run(TOOLS / "hadolint", DEPLOY / "Dockerfile")
    assert linted.returncode == 0, linted.stdout


def test_the_compose_file_has_the_form_of_the_specification() -> None:
    checked = run(TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml")
    assert checked.returncode == 0, checked.stdout


def test_every_file_that_the_compose_file_mounts_is_there() -> None:
    mounted = [volume for service in compose()["services"].values() for volume in service.get("volumes", [])]
    files = [volume.split(":")[0] for volume in mounted if volume.startswith("./")]
    assert len(files) >= 8
    assert [each for each in files if not (DEPLOY / each).exists()] == []


def test_every_service_runs_twice_without_rights_and_has_time_to_stop() -> None:
    for name in ("lobby", "session", "relay"):
        service = compose()["services"][name]
        assert service["deploy"]["replicas"] == 2
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["user"] == "10001:10001"
        assert service["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


def test_redis_writes_before_it_answers_and_evicts_nothing() -> None:
    command = compose()["services"]["redis"]["command"]
    options = dict(zip(command[1::2], command[2::2], strict=True))
    assert options["--appendonly"] == "yes"
    assert options["--appendfsync"] == "always"
    assert options["--maxmemory-policy"] == "noeviction"


def first_run(directory: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    script: list[str | Path] = [sys.executable, DEPLOY / "first_run.py", directory]
    return subprocess.run(script, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_the_first_run_makes_the_secrets_and_later_ones_keep_them(tmp_path: Path) -> None:
    assert first_run(tmp_path).returncode == 0
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert set(made) == {"parlor_secret", "postgres_password", "parlor_database_url", "tls.crt", "tls.key"}
    assert len(made["parlor_secret"]) >= 32
    assert made["postgres_password"] in made["parlor_database_url"]
    assert first_run(tmp_path).returncode == 0
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == made


def test_a_secret_that_is_given_is_taken_and_one_that_is_too_short_refused(tmp_path: Path) -> None:
    given = "a secret of the tests, long enough to be one"
    assert first_run(tmp_path, PARLOR_SECRET=given).returncode == 0
    assert (tmp_path / "parlor_secret").read_text() == given
    refused = first_run(tmp_path, PARLOR_SECRET="short")
    assert refused.returncode == 1
    assert "at least 32 characters" in refused.stderr


@pytest.mark.skipif(nginx_binary() is None, reason="Debian's package nginx-light is not installed")
def test_nginx_takes_the_ingress_configuration_with_its_certificate(tmp_path: Path) -> None:
    assert first_run(tmp_path).returncode == 0
    ingress = Ingress(tmp_path, {}, secrets=tmp_path)
    checked = ingress.check()
    assert checked.returncode == 0, checked.stderr


def names_in(text: str) -> set[str]:
    return set(re.findall(r"parlor_[a-z_]+", text))


def families() -> list[Metric]:
    ours = [each for each in vars(metrics).values() if isinstance(each, MetricWrapperBase)]
    return [family for metric in ours for family in metric.describe()]


def measured() -> set[str]:
    """Every name that a service's /metrics can show."""
    endings = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}
    return {family.name + ending for family in families() for ending in endings.get(family.type, [""])}


def test_dashboard_and_alarms_ask_for_metrics_that_exist() -> None:
    dashboard = json.loads((DEPLOY / "grafana" / "dashboards" / "parlor.json").read_text())
    asked = {target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])}
    assert len(asked) >= 12
    alarms = (DEPLOY / "prometheus" / "alerts.yml").read_text()
    assert names_in(" ".join(asked)) | names_in(alarms) <= measured()


def test_dashboard_and_alarms_ask_for_labels_that_exist() -> None:
    """A misspelled label makes an alarm that never rings."""
    ours = [each for each in vars(metrics).values() if isinstance(each, MetricWrapperBase)]
    known = {label for metric in ours for label in metric._labelnames} | {"job", "instance", "le"}
    texts = [(DEPLOY / "grafana" / "dashboards" / "parlor.json").read_text().replace('\\"', '"')]
    texts.append((DEPLOY / "prometheus" / "alerts.yml").read_text())
    for text in texts:
        grouped = [label.strip() for by in re.findall(r"by \(([a-z_, ]+)\)", text) for label in by.split(",")]
        chosen = re.findall(r"[{,]([a-z_]+)=~?\"", text)
        shown = re.findall(r"\{\{ ?(?:\$labels\.)?([a-z_]+) ?\}\}", text)
        assert len(grouped) >= 5
        assert {*grouped, *chosen, *shown} <= known


def test_every_metric_is_on_the_dashboard_and_explained() -> None:
    dashboard = names_in((DEPLOY / "grafana" / "dashboards" / "parlor.json").read_text())
    explained = names_in((ROOT / "docs" / "operations.md").read_text())
    names = {family.name for family in families()}
    assert {name for name in names if not any(shown.startswith(name) for shown in dashboard)} == set()
    assert {name for name in names if not any(said.startswith(name) for said in explained)} == set()


def test_every_alarm_is_explained() -> None:
    rules = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"][0]["rules"]
    explained = (ROOT / "docs" / "operations.md").read_text()
    assert [rule["alert"] for rule in rules if f"`{rule['alert']}`" not in explained] == []


def test_settings_can_come_from_files_in_a_directory(tmp_path: Path) -> None:
    (tmp_path / "parlor_log_level").write_text("chatty")
    served = subprocess.run(
        [TOOLS / "parlor", "migrate"],
        env={"PARLOR_SECRETS_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert served.returncode == 1
    assert "PARLOR_LOG_LEVEL" in served.stderr


def test_the_health_check_tells_a_ready_service_from_none() -> None:
    with short_directory() as home:
        server = Server("web", services=(), home=home)
        with server:
            assert healthcheck(server.port, until=0) == 0
        assert healthcheck(server.port, until=1) == 1


def healthcheck(port: int, until: int) -> int:
    """The check's exit status, once it is as expected or patience is at its end."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        script: list[str | Path] = [sys.executable, DEPLOY / "healthcheck.py"]
        status = subprocess.run(script, env={"PARLOR_PORT": str(port)}, check=False, timeout=30).returncode
        if status == until or time.monotonic() > deadline:
            return status


def test_the_image_has_what_it_needs_and_nothing_else() -> None:
    """Every path that the Dockerfile copies passes the ignore file."""
    let_through = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert [path for path in let_through if not (ROOT / path).exists()] == []
    packages = {"services", "shared", "migrations", "web", "sdk", "pyproject.toml", "requirements/run.txt"}
    assert packages <= set(let_through)
