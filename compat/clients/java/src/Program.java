import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Uses the fabric8 client with its default settings: prints a line for each step and ends with code 1 at the first
 * failure. Usage: java Program KUBECONFIG NAMESPACE
 */
public final class Program {
  private static final Map<String, String> LABELS = Map.of("app", "java");
  private final KubernetesClient client;
  private final String namespace;

  private Program(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  interface Step {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    Config config = Config.fromKubeconfig(Files.readString(Path.of(args[0])));
    // A step that hangs is a failure too.
    Thread guard = new Thread(() -> {
      try {
        Thread.sleep(75_000);
      } catch (InterruptedException ended) {
        return;
      }
      System.out.println("FAIL no end after 75 s");
      Runtime.getRuntime().halt(1);
    });
    guard.setDaemon(true);
    guard.start();
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      Program program = new Program(client, args[1]);
      Widgets widgets = new Widgets(client, args[1]);
      Map<String, Step> steps = new LinkedHashMap<>();
      steps.put("read the version", program::version);
      steps.put("create a namespace and 12 objects", program::create);
      steps.put("list in pages of 5", program::listInPages);
      steps.put("replace, edit, and lose a race", program::replace);
      steps.put("patch in three ways", program::patch);
      steps.put("apply on the server", program::apply);
      steps.put("watch", program::watch);
      steps.put("inform", program::inform);
      steps.put("elect a leader, twice", program::elect);
      steps.put("other kinds", program::otherKinds);
      steps.put("delete one, and a collection", program::delete);
      steps.put("define a kind", widgets::define);
      steps.put("objects of a kind, with status and scale", widgets::objects);
      steps.put("inform of objects of a kind", widgets::inform);
      steps.put("delete the definition", widgets::remove);
      for (Map.Entry<String, Step> step : steps.entrySet()) {
        try {
          step.getValue().run();
          System.out.println("ok   " + step.getKey());
        } catch (Throwable failure) {
          System.out.print("FAIL " + step.getKey() + ": ");
          failure.printStackTrace(System.out);
          System.out.flush();
          // Threads of the client must not keep the process alive.
          Runtime.getRuntime().halt(1);
        }
      }
    }
  }

  static void check(boolean holds, Object shown) {
    if (!holds) throw new AssertionError(String.valueOf(shown));
  }

  static void refused(int code, Step call) throws Exception {
    try {
      call.run();
    } catch (KubernetesClientException refusal) {
      check(refusal.getCode() == code, refusal);
      return;
    }
    throw new AssertionError("the request was accepted; expected " + code);
  }

  /** Waits for events of another thread. */
  static void until(String what, BooleanSupplier holds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!holds.getAsBoolean()) {
      check(System.nanoTime() < end, what + " after 20 s");
      Thread.sleep(20);
    }
  }

  private ConfigMap configMap(String name) {
    return new ConfigMapBuilder()
        .withMetadata(new ObjectMetaBuilder().withName(name).withLabels(LABELS).build())
        .addToData("name", name)
        .build();
  }

  private void version() {
    check(client.getKubernetesVersion().getGitVersion().startsWith("v1.36."), client.getKubernetesVersion());
    check(client.supports("apps/v1", "Deployment") && !client.supports("apps/v1", "Nothing"), "discovery");
  }

  private void create() throws Exception {
    client.namespaces().resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build()).create();
    for (int i = 0; i < 12; i++) client.configMaps().inNamespace(namespace).resource(configMap(String.format("cm-%02d", i))).create();
    refused(409, () -> client.configMaps().inNamespace(namespace).resource(configMap("cm-00")).create());
    refused(422, () -> client.configMaps().inNamespace(namespace).resource(configMap("Bad_Name")).create());
    client.configMaps().inNamespace(namespace).resource(configMap("dry")).dryRun().create();
    check(client.configMaps().inNamespace(namespace).withName("dry").get() == null, "the dry run stored an object");
  }

  private void listInPages() {
    List<String> names = new ArrayList<>();
    String token = null;
    do {
      ConfigMapList page = client.configMaps().inNamespace(namespace).withLabels(LABELS)
          .list(new ListOptionsBuilder().withLimit(5L).withContinue(token).build());
      page.getItems().forEach((map) -> names.add(map.getMetadata().getName()));
      token = page.getMetadata().getContinue();
    } while (token != null && !token.isEmpty());
    check(names.size() == 12, names);
  }

  private void replace() throws Exception {
    ConfigMap one = client.configMaps().inNamespace(namespace).withName("cm-01").get();
    ConfigMap changed = new ConfigMapBuilder(one).addToData("i", "new").build();
    client.resource(changed).update();
    refused(409, () -> client.resource(changed).update());
    ConfigMap edited = client.configMaps().inNamespace(namespace).withName("cm-01")
        .edit((map) -> new ConfigMapBuilder(map).addToData("edited", "yes").build());
    check("yes".equals(edited.getData().get("edited")) && "new".equals(edited.getData().get("i")), edited);
  }

  private void patch() {
    PatchContext merge = PatchContext.of(PatchType.JSON_MERGE);
    PatchContext json = PatchContext.of(PatchType.JSON);
    PatchContext strategic = PatchContext.of(PatchType.STRATEGIC_MERGE);
    var map = client.configMaps().inNamespace(namespace).withName("cm-02");
    map.patch(merge, "{\"data\":{\"merge\":\"1\",\"name\":null}}");
    map.patch(json, "[{\"op\":\"add\",\"path\":\"/data/json\",\"value\":\"1\"}]");
    Map<String, String> data = map.patch(strategic, "{\"data\":{\"strategic\":\"1\"}}").getData();
    check(data.equals(Map.of("merge", "1", "json", "1", "strategic", "1")), data);
  }

  private void apply() throws Exception {
    ConfigMap applied = client.configMaps().inNamespace(namespace).resource(configMap("applied"))
        .fieldManager("first").serverSideApply();
    check(applied.getMetadata().getManagedFields().get(0).getManager().equals("first"), applied);
    ConfigMap other = new ConfigMapBuilder(configMap("applied")).addToData("name", "other").build();
    refused(409, () -> client.configMaps().inNamespace(namespace).resource(other).fieldManager("second").serverSideApply());
    ConfigMap forced = client.configMaps().inNamespace(namespace).resource(other)
        .fieldManager("second").forceConflicts().serverSideApply();
    check("other".equals(forced.getData().get("name")), forced);
    client.configMaps().inNamespace(namespace).withName("applied").delete();
  }

  private void watch() throws InterruptedException {
    ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
    Watcher<ConfigMap> watcher = new Watcher<>() {
      @Override
      public void eventReceived(Action action, ConfigMap map) {
        seen.add(action + " " + map.getMetadata().getName());
      }

      @Override
      public void onClose(WatcherException cause) {
        seen.add("closed: " + cause);
      }
    };
    String revision = client.configMaps().inNamespace(namespace).list().getMetadata().getResourceVersion();
    try (var watch = client.configMaps().inNamespace(namespace)
        .watch(new ListOptionsBuilder().withResourceVersion(revision).build(), watcher)) {
      change("watched");
      until("events: " + seen, () -> seen.size() == 3);
    }
    check(List.copyOf(seen).subList(0, 3).equals(List.of("ADDED watched", "MODIFIED watched", "DELETED watched")), seen);
  }

  private void change(String name) {
    var map = client.configMaps().inNamespace(namespace).withName(name);
    client.configMaps().inNamespace(namespace).resource(configMap(name)).create();
    map.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"a\":\"b\"}}");
    map.delete();
  }

  private void inform() throws InterruptedException {
    ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
    try (var informer = client.configMaps().inNamespace(namespace).withLabels(LABELS).inform(recorder(seen))) {
      check(informer.hasSynced() && informer.getStore().list().size() == 12, informer.getStore().list().size());
      until("initial events", () -> seen.size() == 12);
      seen.clear();
      change("informed");
      until("events: " + seen, () -> seen.contains("delete informed"));
      check(seen.contains("add informed") && seen.contains("update informed"), seen);
      check(informer.getIndexer().getByKey(namespace + "/cm-00") != null, "cm-00 is not in the store");
    }
  }

  static <T extends HasMetadata> ResourceEventHandler<T> recorder(ConcurrentLinkedQueue<String> seen) {
    return new ResourceEventHandler<>() {
      @Override
      public void onAdd(T object) {
        seen.add("add " + object.getMetadata().getName());
      }

      @Override
      public void onUpdate(T old, T object) {
        seen.add("update " + object.getMetadata().getName());
      }

      @Override
      public void onDelete(T object, boolean isUnknown) {
        seen.add("delete " + object.getMetadata().getName());
      }
    };
  }

  private CompletableFuture<?> candidate(String identity, ConcurrentLinkedQueue<String> seen) {
    return client.leaderElector()
        .withConfig(new LeaderElectionConfigBuilder()
            .withName("compat")
            .withLock(new LeaseLock(namespace, "leader", identity))
            .withLeaseDuration(Duration.ofSeconds(3))
            .withRenewDeadline(Duration.ofSeconds(2))
            .withRetryPeriod(Duration.ofMillis(300))
            .withReleaseOnCancel(true)
            .withLeaderCallbacks(new LeaderCallbacks(
                () -> seen.add("leads " + identity), () -> seen.add("stops " + identity), (leader) -> {}))
            .build())
        .build()
        .start();
  }

  /** The second candidate leads when the first releases the lease. */
  private void elect() throws InterruptedException {
    ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
    CompletableFuture<?> first = candidate("first", seen);
    until("no leader", () -> seen.contains("leads first"));
    CompletableFuture<?> second = candidate("second", seen);
    first.cancel(true);
    until("no second leader", () -> seen.contains("leads second"));
    check(seen.contains("stops first"), seen);
    String holder = client.leases().inNamespace(namespace).withName("leader").get().getSpec().getHolderIdentity();
    check("second".equals(holder), holder);
    second.cancel(true);
  }

  private void otherKinds() {
    client.resource(new SecretBuilder().withNewMetadata().withName("s").withNamespace(namespace).endMetadata()
        .addToStringData("k", "v").build()).create();
    String value = client.secrets().inNamespace(namespace).withName("s").get().getData().get("k");
    check(new String(Base64.getDecoder().decode(value)).equals("v"), value);
    client.load(getClass().getResourceAsStream("/deployment.yaml")).inNamespace(namespace).create();
    var deployment = client.apps().deployments().inNamespace(namespace).withName("d");
    check(deployment.scale(3).getSpec().getReplicas() == 3, deployment.get());
  }

  private void delete() {
    check(client.configMaps().inNamespace(namespace).withName("cm-03").delete().size() == 1, "cm-03");
    check(client.configMaps().inNamespace(namespace).withName("cm-03").delete().isEmpty(), "cm-03 again");
    client.configMaps().inNamespace(namespace).withLabels(LABELS).delete();
    check(client.configMaps().inNamespace(namespace).withLabels(LABELS).list().getItems().isEmpty(), "objects are left");
  }
}
