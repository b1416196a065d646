"""Uses the Python client with its default settings: prints a line for each step and ends with code 1 at the first surprise.

usage: python3 program.py KUBECONFIG NAMESPACE
"""
import base64
import faulthandler
import sys
import threading
import time
import traceback

from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException

config.load_kube_config(sys.argv[1])
namespace = sys.argv[2]
core = client.CoreV1Api()
# A step that hangs is a surprise too.
faulthandler.dump_traceback_later(60, exit=True)


def refused(code, call):
    try:
        call()
    except ApiException as error:
        assert error.status == code, f"{error.status}, not {code}"
        return
    raise AssertionError(f"nobody refused; expected {code}")


def configmap(name, **fields):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={"app": "py"}), **fields)


def read_version():
    assert client.VersionApi().get_code().git_version.startswith("v1.36.")


def create():
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=namespace)))
    for i in range(12):
        core.create_namespaced_config_map(namespace, configmap(f"cm-{i:02}", data={"i": str(i)}))
    refused(409, lambda: core.create_namespaced_config_map(namespace, configmap("cm-00")))
    refused(422, lambda: core.create_namespaced_config_map(namespace, configmap("Bad_Name")))


def list_in_pages():
    seen, token = [], None
    while True:
        page = core.list_namespaced_config_map(namespace, limit=5, _continue=token)
        seen += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert len(seen) == 12, seen


def replace():
    one = core.read_namespaced_config_map("cm-01", namespace)
    one.data = {"i": "new"}
    core.replace_namespaced_config_map("cm-01", namespace, one)
    refused(409, lambda: core.replace_namespaced_config_map("cm-01", namespace, one))
    refused(404, lambda: core.read_namespaced_config_map("missing", namespace))


def patch():
    core.patch_namespaced_config_map("cm-02", namespace, {"data": {"strategic": "1"}})
    core.patch_namespaced_config_map("cm-02", namespace, [{"op": "add", "path": "/data/json", "value": "1"}])
    data = core.read_namespaced_config_map("cm-02", namespace).data
    assert data == {"i": "2", "strategic": "1", "json": "1"}, data


def watch_changes():
    revision = core.list_namespaced_config_map(namespace).metadata.resource_version

    def change():
        core.create_namespaced_config_map(namespace, configmap("watched"))
        core.patch_namespaced_config_map("watched", namespace, {"data": {"a": "b"}})
        core.delete_namespaced_config_map("watched", namespace)

    thread = threading.Thread(target=change)
    thread.start()
    seen = []
    for event in watch.Watch().stream(core.list_namespaced_config_map, namespace, resource_version=revision, timeout_seconds=10):
        seen.append(f"{event['type']} {event['object'].metadata.name}")
        if len(seen) == 3:
            break
    thread.join()
    assert seen == ["ADDED watched", "MODIFIED watched", "DELETED watched"], seen


def dynamic_client():
    api = dynamic.DynamicClient(client.ApiClient())
    leases = api.resources.get(api_version="coordination.k8s.io/v1", kind="Lease")
    leases.create(namespace=namespace, body={"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}, "spec": {"holderIdentity": "py"}})
    leases.patch(namespace=namespace, name="l", body={"spec": {"leaseTransitions": 1}}, content_type="application/merge-patch+json")
    lease = leases.get(namespace=namespace, name="l")
    assert lease.spec.holderIdentity == "py" and lease.spec.leaseTransitions == 1, lease
    leases.delete(namespace=namespace, name="l")


def other_kinds():
    core.create_namespaced_secret(namespace, client.V1Secret(metadata=client.V1ObjectMeta(name="s"), string_data={"k": "v"}))
    assert base64.b64decode(core.read_namespaced_secret("s", namespace).data["k"]) == b"v"
    core.create_namespaced_service_account(namespace, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="robot")))
    request = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[]))
    assert core.create_namespaced_service_account_token("robot", namespace, request).status.token.startswith("ey")
    rule = client.V1PolicyRule(api_groups=[""], resources=["configmaps"], verbs=["get"])
    client.RbacAuthorizationV1Api().create_namespaced_role(namespace, client.V1Role(metadata=client.V1ObjectMeta(name="r"), rules=[rule]))
    attributes = client.V1ResourceAttributes(namespace=namespace, verb="get", resource="secrets")
    review = client.V1SelfSubjectAccessReview(spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes))
    assert client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed


def delete():
    core.delete_namespaced_config_map("cm-03", namespace)
    refused(404, lambda: core.delete_namespaced_config_map("cm-03", namespace))
    core.delete_collection_namespaced_config_map(namespace, label_selector="app=py")
    assert core.list_namespaced_config_map(namespace, label_selector="app=py").items == []


group = "py.clients.example.com"
kites = client.CustomObjectsApi()
where = (group, "v1", namespace, "kites")


def kite(name, **spec):
    return {"apiVersion": f"{group}/v1", "kind": "Kite", "metadata": {"name": name}, "spec": spec}


def define():
    definitions = client.ApiextensionsV1Api()
    properties = {
        "spec": client.V1JSONSchemaProps(
            type="object",
            properties={
                "color": client.V1JSONSchemaProps(type="string", default="red"),
                "length": client.V1JSONSchemaProps(type="integer", maximum=100),
            },
        ),
        "status": client.V1JSONSchemaProps(type="object", x_kubernetes_preserve_unknown_fields=True),
    }
    version = client.V1CustomResourceDefinitionVersion(
        name="v1",
        served=True,
        storage=True,
        schema=client.V1CustomResourceValidation(open_apiv3_schema=client.V1JSONSchemaProps(type="object", properties=properties)),
        subresources=client.V1CustomResourceSubresources(status={}),
    )
    names = client.V1CustomResourceDefinitionNames(plural="kites", kind="Kite")
    spec = client.V1CustomResourceDefinitionSpec(group=group, scope="Namespaced", names=names, versions=[version])
    body = client.V1CustomResourceDefinition(metadata=client.V1ObjectMeta(name=f"kites.{group}"), spec=spec)
    definitions.create_custom_resource_definition(body)
    for _ in range(200):
        conditions = definitions.read_custom_resource_definition(f"kites.{group}").status.conditions or []
        if any(one.type == "Established" and one.status == "True" for one in conditions):
            try:
                kites.list_namespaced_custom_object(*where)
                return
            except ApiException as error:
                assert error.status == 404, error
        time.sleep(0.025)
    raise AssertionError("the definition was not established")


def custom_objects():
    made = kites.create_namespaced_custom_object(*where, kite("a", length=5))
    assert made["spec"] == {"color": "red", "length": 5}, made
    refused(422, lambda: kites.create_namespaced_custom_object(*where, kite("b", length=500)))
    refused(409, lambda: kites.create_namespaced_custom_object(*where, kite("a")))
    one = kites.get_namespaced_custom_object(*where, "a")
    one["spec"]["length"] = 6
    kites.replace_namespaced_custom_object(*where, "a", one)
    refused(409, lambda: kites.replace_namespaced_custom_object(*where, "a", one))
    kites.patch_namespaced_custom_object(*where, "a", {"spec": {"length": 8}})
    patch = [{"op": "replace", "path": "/spec/color", "value": "blue"}]
    kites.patch_namespaced_custom_object(*where, "a", patch, _content_type="application/json-patch+json")
    patched = kites.patch_namespaced_custom_object_status(*where, "a", {"status": {"flies": True}})
    assert patched["status"] == {"flies": True}, patched
    items = kites.list_namespaced_custom_object(*where)["items"]
    assert [item["spec"] for item in items] == [{"color": "blue", "length": 8}], items


def watch_custom_objects():
    revision = kites.list_namespaced_custom_object(*where)["metadata"]["resourceVersion"]

    def change():
        kites.create_namespaced_custom_object(*where, kite("w"))
        kites.delete_namespaced_custom_object(*where, "w")
        kites.delete_collection_namespaced_custom_object(*where)

    thread = threading.Thread(target=change)
    thread.start()
    seen = []
    for event in watch.Watch().stream(kites.list_namespaced_custom_object, *where, resource_version=revision, timeout_seconds=10):
        seen.append(f"{event['type']} {event['object']['metadata']['name']}")
        if len(seen) == 3:
            break
    thread.join()
    assert seen == ["ADDED w", "DELETED w", "DELETED a"], seen
    client.ApiextensionsV1Api().delete_custom_resource_definition(f"kites.{group}")


for name, step in [
    ("read the version", read_version),
    ("create a namespace and 12 objects", create),
    ("list in pages of 5", list_in_pages),
    ("read, replace, and lose a race", replace),
    ("patch in two ways", patch),
    ("watch from a revision", watch_changes),
    ("discover and use the dynamic client", dynamic_client),
    ("other kinds", other_kinds),
    ("delete one, and a collection", delete),
    ("define a kind", define),
    ("create, replace and patch objects of it", custom_objects),
    ("watch and delete objects of it", watch_custom_objects),
]:
    try:
        step()
        print(f"ok   {name}", flush=True)
    except Exception:
        print(f"FAIL {name}: {traceback.format_exc()}", flush=True)
        sys.exit(1)
