import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Steps with a custom resource: its definition, its status and scale, and an informer of its objects. */
final class Widgets {
  private static final String NAME = "widgets.java.compat.example.com";
  private final KubernetesClient client;
  private final String namespace;

  Widgets(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  private NonNamespaceOperation<Widget, KubernetesResourceList<Widget>, Resource<Widget>> widgets() {
    MixedOperation<Widget, KubernetesResourceList<Widget>, Resource<Widget>> all = client.resources(Widget.class);
    return all.inNamespace(namespace);
  }

  private static Widget widget(String name, int replicas) {
    Widget widget = new Widget();
    widget.setMetadata(new ObjectMetaBuilder().withName(name).build());
    widget.setSpec(new Widget.Spec());
    widget.getSpec().replicas = replicas;
    return widget;
  }

  void define() {
    CustomResourceDefinition definition = client.apiextensions().v1().customResourceDefinitions()
        .load(getClass().getResourceAsStream("/widgets.yaml")).create();
    client.resource(definition).waitUntilCondition(
        (found) -> found != null && found.getStatus() != null && found.getStatus().getConditions().stream()
            .anyMatch((condition) -> condition.getType().equals("Established") && condition.getStatus().equals("True")),
        20, TimeUnit.SECONDS);
  }

  void objects() throws Exception {
    Program.refused(422, () -> widgets().resource(widget("w", 11)).create());
    widgets().resource(widget("w", 2)).create();
    Widget edited = widgets().withName("w").edit((found) -> {
      found.getSpec().replicas = 3;
      return found;
    });
    Program.check(edited.getSpec().replicas == 3 && edited.getMetadata().getGeneration() == 2, edited);
    Widget shown = widgets().withName("w").editStatus((found) -> {
      found.setStatus(new Widget.Status());
      found.getStatus().phase = "Ready";
      return found;
    });
    Program.check("Ready".equals(shown.getStatus().phase) && shown.getMetadata().getGeneration() == 2, shown);
    Program.check(widgets().withName("w").scale(5).getSpec().replicas == 5, widgets().withName("w").get());
    Program.check(client.genericKubernetesResources("java.compat.example.com/v1", "Widget").inNamespace(namespace)
        .withName("w").get().get("status", "phase").equals("Ready"), "the generic object");
  }

  void inform() throws InterruptedException {
    ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
    try (var informer = client.resources(Widget.class).inNamespace(namespace).inform(Program.recorder(seen))) {
      Program.until("no initial event", () -> seen.contains("add w"));
      widgets().resource(widget("x", 1)).create();
      Program.until("no event", () -> seen.contains("add x"));
      widgets().withName("x").delete();
      Program.until("no event", () -> seen.contains("delete x"));
      Program.check(informer.getStore().list().size() == 1, List.copyOf(seen));
    }
  }

  void remove() {
    client.apiextensions().v1().customResourceDefinitions().withName(NAME).withTimeout(20, TimeUnit.SECONDS).delete();
    Program.check(client.apiextensions().v1().customResourceDefinitions().withName(NAME).get() == null, NAME + " is left");
  }
}
