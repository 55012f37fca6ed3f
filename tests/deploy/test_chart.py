"""The chart makes objects that Kubernetes takes, and says what a game server needs said."""

import json
from typing import Any

import kubernetes_validate
import pytest

from tests.deploy.chart import RenderError, rendered

KUBERNETES = "1.30"
CONNECTIONS = {
    "redisUrl": "redis://redis:6379/0",
    "databaseUrl": "postgresql://parlor@db/parlor",
    "secret": "a secret of the tests, long enough to be one",
}
VARIANTS: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "with streams as a measure": {"autoscaling": {"onStreams": True}},
    "without what is optional": {
        "autoscaling": {"enabled": False},
        "ingress": {"enabled": False},
        "networkPolicy": {"enabled": False},
    },
    "with tls": {"ingress": {"tlsSecret": "parlor-tls"}},
    "with a secret of one's own": {"connections": {"existingSecret": "mine", "redisUrl": "", "secret": ""}},
}


def objects(variant: str = "as it comes", kind: str | None = None) -> list[dict[str, Any]]:
    values = VARIANTS[variant]
    made = rendered({**values, "connections": {**CONNECTIONS, **values.get("connections", {})}})
    return [each for each in made if kind in (None, each["kind"])]


def pods(variant: str = "as it comes") -> list[dict[str, Any]]:
    workloads = [*objects(variant, "Deployment"), *objects(variant, "Job")]
    return [each["spec"]["template"]["spec"] for each in workloads]


def test_every_object_has_the_form_that_kubernetes_wants() -> None:
    made = {json.dumps(each): each for variant in VARIANTS for each in objects(variant)}  # each validation is slow
    assert len(made) >= 20
    for each in made.values():
        kubernetes_validate.validate(each, KUBERNETES, strict=True)


def test_an_object_that_is_wrong_would_be_noticed() -> None:
    deployment = objects(kind="Deployment")[0]
    deployment["spec"]["replicas"] = "two"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, KUBERNETES, strict=True)


@pytest.mark.parametrize("missing", ["redisUrl", "databaseUrl", "secret"])
def test_a_connection_that_is_not_named_is_asked_for(missing: str) -> None:
    with pytest.raises(RenderError, match=f"connections.{missing} is needed"):
        rendered({"connections": {**CONNECTIONS, missing: ""}})


def test_a_secret_of_ones_own_is_used_and_none_is_made() -> None:
    variant = "with a secret of one's own"
    assert objects(variant, "Secret") == []
    mounted = {v["secret"]["secretName"] for pod in pods(variant) for v in pod["volumes"] if "secret" in v}
    assert mounted == {"mine"}


def test_each_service_is_there_twice_with_a_budget_an_autoscaler_and_probes() -> None:
    for service in ("lobby", "session", "relay"):
        name = f"demo-{service}"
        kinds = {each["kind"]: each for each in objects() if each["metadata"]["name"] == name}
        assert set(kinds) == {"Deployment", "Service", "PodDisruptionBudget", "HorizontalPodAutoscaler"}
        assert kinds["HorizontalPodAutoscaler"]["spec"]["minReplicas"] == 2
        (container,) = kinds["Deployment"]["spec"]["template"]["spec"]["containers"]
        assert container["args"] == [service]
        assert container["readinessProbe"]["httpGet"]["path"] == f"/{service}/health/ready"
        assert container["livenessProbe"]["httpGet"]["path"] == f"/{service}/health/live"


def test_pods_run_without_rights_on_a_read_only_file_system() -> None:
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"] is True
        for container in pod["containers"]:
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] is True
            assert security["allowPrivilegeEscalation"] is False
            assert security["capabilities"] == {"drop": ["ALL"]}


def test_a_pod_has_time_to_let_its_streams_go() -> None:
    services = [pod for pod in pods() if "terminationGracePeriodSeconds" in pod]
    assert len(services) == 3
    for pod in services:
        environment = {each["name"]: each["value"] for each in pod["containers"][0]["env"]}
        waits = int(pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
        assert pod["terminationGracePeriodSeconds"] > waits + int(environment["PARLOR_GRACE_MS"]) / 1000 + 3


def test_the_ingress_passes_events_on_at_once_and_leaves_streams_open() -> None:
    (ingress,) = objects(kind="Ingress")
    annotations = ingress["metadata"]["annotations"]
    assert annotations["nginx.ingress.kubernetes.io/proxy-buffering"] == "off"
    assert int(annotations["nginx.ingress.kubernetes.io/proxy-read-timeout"]) >= 3600
    paths = ingress["spec"]["rules"][0]["http"]["paths"]
    assert [path["path"] for path in paths] == ["/lobby/", "/relay/", "/session/", "/"]


def test_autoscaling_looks_at_streams_when_asked() -> None:
    for scaler in objects("with streams as a measure", "HorizontalPodAutoscaler"):
        assert [metric["type"] for metric in scaler["spec"]["metrics"]] == ["Resource", "Pods"]


def test_pods_are_replaced_when_their_connections_change() -> None:
    def checksums(**connections: str) -> set[str]:
        made = rendered({"connections": {**CONNECTIONS, **connections}})
        templates = [each["spec"]["template"]["metadata"] for each in made if each["kind"] == "Deployment"]
        return {meta["annotations"]["checksum/connections"] for meta in templates if "annotations" in meta}

    assert len(checksums()) == 1
    assert checksums() != checksums(redisUrl="redis+cluster://one:6379,two:6379")


def test_connections_may_be_a_cluster_or_sentinels() -> None:
    for url in ("redis+cluster://one:6379,two:6379", "redis+sentinel://one:26379,two:26379/parlor/0"):
        made = rendered({"connections": {**CONNECTIONS, "redisUrl": url}})
        (secret,) = [each for each in made if each["kind"] == "Secret"]
        assert secret["stringData"]["parlor_redis_url"] == url
        kubernetes_validate.validate(secret, KUBERNETES, strict=True)
