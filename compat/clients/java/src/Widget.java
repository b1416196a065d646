import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** A custom resource. */
@Group("java.compat.example.com")
@Version("v1")
public final class Widget extends CustomResource<Widget.Spec, Widget.Status> implements Namespaced {
  public static final class Spec {
    public int replicas;
  }

  public static final class Status {
    public int replicas;
    public String phase;
  }
}
