"""Runs an operator written with kopf: prints a line for each step and ends with code 1 at the first failure.

The operator runs in a thread with kopf's default settings. The main thread is its user.

usage: python3 program.py KUBECONFIG NAMESPACE
"""
import faulthandler
import os
import sys
import threading
import time
import traceback

os.environ["KUBECONFIG"] = sys.argv[1]
namespace = sys.argv[2]

import kopf
from kubernetes import client, config
from kubernetes.client.rest import ApiException

GROUP, VERSION, PLURAL = "kopf.compat.example.com", "v1", "gizmos"
RESOURCE = (GROUP, VERSION, PLURAL)
FINALIZER = "kopf.zalando.org/KopfFinalizerMarker"

config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
custom = client.CustomObjectsApi()
definitions = client.ApiextensionsV1Api()
# A step that hangs is a failure too.
faulthandler.dump_traceback_later(60, exit=True)

calls = []
failures = {"flaky": 1}


@kopf.on.create(*RESOURCE)
def created(body, name, namespace, spec, **_):
    calls.append(f"create {name}")
    owned = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{name}-owned"}, "data": {"size": str(spec["size"])}}
    kopf.adopt(owned)
    core.create_namespaced_config_map(namespace, owned)
    kopf.info(body, reason="Sized", message="The gizmo has its size.")
    return {"doubled": spec["size"] * 2}


@kopf.on.create(*RESOURCE, id="retried", backoff=0.2)
def retried(name, **_):
    if failures.get(name, 0) > 0:
        failures[name] -= 1
        raise kopf.TemporaryError("once more", delay=0.2)
    calls.append(f"retried {name}")


@kopf.on.update(*RESOURCE, field="spec.size")
def resized(name, old, new, patch, **_):
    calls.append(f"update {name} {old} {new}")
    patch.status["doubled"] = new * 2


@kopf.on.delete(*RESOURCE)
def deleted(name, namespace, **_):
    calls.append(f"delete {name}")
    core.delete_namespaced_config_map(f"{name}-owned", namespace)


@kopf.on.event("", "v1", "configmaps", labels={"watched": "yes"})
def seen(type, name, **_):
    calls.append(f"event {type} {name}")


@kopf.index(*RESOURCE)
def sizes(name, spec, **_):
    return {name: spec.get("size")}


class Operator:
    """The operator in a thread of its own."""

    def __init__(self):
        self.ready, self.stop_flag, self.error = threading.Event(), threading.Event(), None
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            kopf.run(standalone=True, namespaces=[namespace], ready_flag=self.ready, stop_flag=self.stop_flag)
        except BaseException:
            self.error = traceback.format_exc()

    def start(self):
        self.thread.start()
        assert self.ready.wait(20), f"the operator is not ready: {self.error}"

    def stop(self):
        self.stop_flag.set()
        self.thread.join(20)
        assert not self.thread.is_alive(), "the operator does not stop"
        assert self.error is None, self.error


operator = Operator()


def until(what, check):
    deadline = time.monotonic() + 20
    while True:
        result = check()
        if result:
            return result
        assert operator.error is None, operator.error
        assert time.monotonic() < deadline, f"{what} after 20 s; calls: {calls}"
        time.sleep(0.05)


def get(name):
    try:
        return custom.get_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, name)
    except ApiException as error:
        assert error.status == 404, error
        return None


def create(name, size):
    body = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Gizmo", "metadata": {"name": name}, "spec": {"size": size}}
    return custom.create_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, body)


def define():
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=namespace)))
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer", "minimum": 1}}}, "status": free}}
    definitions.create_custom_resource_definition({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": PLURAL, "singular": "gizmo", "kind": "Gizmo"},
            "versions": [{"name": VERSION, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}],
        },
    })

    def established():
        found = definitions.read_custom_resource_definition(f"{PLURAL}.{GROUP}")
        return any(c.type == "Established" and c.status == "True" for c in found.status.conditions or [])

    until("no established definition", established)


def handle_create():
    create("g", 3)
    gizmo = until("no status", lambda: (get("g") or {}).get("status", {}).get("created") and get("g"))
    assert gizmo["status"]["created"] == {"doubled": 6}, gizmo["status"]
    assert gizmo["metadata"]["finalizers"] == [FINALIZER], gizmo["metadata"]
    owned = core.read_namespaced_config_map("g-owned", namespace)
    assert owned.metadata.owner_references[0].uid == gizmo["metadata"]["uid"], owned.metadata
    # kopf keeps the last state that it has handled in an annotation.
    until("no last handled state", lambda: "kopf.zalando.org/last-handled-configuration" in get("g")["metadata"].get("annotations", {}))


def handle_retry():
    create("flaky", 1)
    until("no retry", lambda: "retried flaky" in calls)


def handle_update():
    until("progress left", lambda: "kopf" not in get("g").get("status", {}))
    custom.patch_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, "g", {"spec": {"size": 5}})
    until("no new status", lambda: get("g")["status"].get("doubled") == 10)
    assert "update g 3 5" in calls, calls
    assert get("g")["metadata"]["generation"] == 2, get("g")["metadata"]


def handle_events():
    labels = {"watched": "yes"}
    core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="w", labels=labels)))
    until("no event", lambda: "event ADDED w" in calls)
    core.delete_namespaced_config_map("w", namespace)
    until("no event", lambda: "event DELETED w" in calls)


def post_events():
    def posted():
        return [e for e in core.list_namespaced_event(namespace).items if e.involved_object.name == "g" and e.reason == "Sized"]

    event = until("no Event object", posted)[0]
    assert event.type == "Normal" and event.source.component == "kopf", event


def handle_delete():
    for name in ("g", "flaky"):
        custom.delete_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, name)
        until(f"{name} is left", lambda: get(name) is None)
        assert f"delete {name}" in calls, calls
    assert [m.metadata.name for m in core.list_namespaced_config_map(namespace).items if m.metadata.name.endswith("-owned")] == []


def restart():
    """An operator that starts later resumes at the objects that exist."""
    global operator
    operator.stop()
    create("late", 4)
    operator = Operator()
    operator.start()
    until("not resumed", lambda: (get("late") or {}).get("status", {}).get("created"))
    custom.delete_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, "late")
    until("late is left", lambda: get("late") is None)


def remove():
    operator.stop()
    definitions.delete_custom_resource_definition(f"{PLURAL}.{GROUP}")


STEPS = {
    "define": define,
    "start the operator": lambda: operator.start(),
    "create, with status and finalizer": handle_create,
    "retry": handle_retry,
    "update": handle_update,
    "events of another kind": handle_events,
    "Event objects": post_events,
    "delete": handle_delete,
    "restart": restart,
    "stop and remove": remove,
}

for title, work in STEPS.items():
    try:
        work()
    except BaseException:
        traceback.print_exc()
        print(f"FAIL {title}", flush=True)
        # The thread of the operator must not keep the process alive.
        os._exit(1)
    print(f"ok   {title}", flush=True)
