//! Steps with built-in kinds: every verb, pages, conflicts, the watcher and the reflector.

use std::{collections::BTreeMap, pin::pin};

use anyhow::{Context as _, Result, bail, ensure};
use futures::{TryStreamExt as _, future};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::{
    Api, Client, Discovery, ResourceExt as _,
    api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams},
    runtime::{WatchStreamExt as _, reflector, watcher},
};
use serde_json::json;

const LABEL: &str = "app=rs";

fn config_map(name: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            labels: Some(BTreeMap::from([("app".to_owned(), "rs".to_owned())])),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("name".to_owned(), name.to_owned())])),
        ..ConfigMap::default()
    }
}

/// Fails unless the server refused the request with this code.
fn refused<T>(code: u16, result: kube::Result<T>) -> Result<()> {
    match result {
        Err(kube::Error::Api(status)) if status.code == code => Ok(()),
        Err(error) => bail!("{error}, not {code}"),
        Ok(_) => bail!("the request was accepted; expected {code}"),
    }
}

pub async fn discover(client: Client) -> Result<()> {
    let version = client.apiserver_version().await?;
    ensure!(version.git_version.starts_with("v1.36."), "{}", version.git_version);
    let discovery = Discovery::new(client).run().await?;
    ensure!(discovery.has_group("apps") && discovery.has_group("rbac.authorization.k8s.io"));
    Ok(())
}

pub async fn create(client: Client, namespace: &str) -> Result<()> {
    let object = Namespace {
        metadata: ObjectMeta { name: Some(namespace.to_owned()), ..ObjectMeta::default() },
        ..Namespace::default()
    };
    Api::<Namespace>::all(client.clone()).create(&PostParams::default(), &object).await?;
    let maps: Api<ConfigMap> = Api::namespaced(client, namespace);
    for i in 0..12 {
        maps.create(&PostParams::default(), &config_map(&format!("cm-{i:02}"))).await?;
    }
    refused(409, maps.create(&PostParams::default(), &config_map("cm-00")).await)?;
    refused(422, maps.create(&PostParams::default(), &config_map("Bad_Name")).await)?;
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    maps.create(&dry, &config_map("dry")).await?;
    ensure!(maps.get_opt("dry").await?.is_none());
    Ok(())
}

pub async fn list_in_pages(client: Client, namespace: &str) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, namespace);
    let mut names = Vec::new();
    let mut params = ListParams::default().labels(LABEL).limit(5);
    loop {
        let page = maps.list(&params).await?;
        let token = page.metadata.continue_.clone().unwrap_or_default();
        names.extend(page.items.iter().map(kube::ResourceExt::name_any));
        if token.is_empty() {
            break;
        }
        params = params.continue_token(&token);
    }
    ensure!(names.len() == 12, "{names:?}");
    let metadata = maps.list_metadata(&ListParams::default().fields("metadata.name=cm-03")).await?;
    ensure!(metadata.items.len() == 1 && metadata.items[0].labels()["app"] == "rs");
    Ok(())
}

pub async fn replace(client: Client, namespace: &str) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, namespace);
    let mut one = maps.get("cm-01").await?;
    one.data = Some(BTreeMap::from([("i".to_owned(), "new".to_owned())]));
    let stored = maps.replace("cm-01", &PostParams::default(), &one).await?;
    ensure!(stored.resource_version() != one.resource_version());
    refused(409, maps.replace("cm-01", &PostParams::default(), &one).await)?;
    refused(404, maps.get("missing").await)?;
    let mut entry = maps.entry("entered").await?.or_insert(|| config_map("entered"));
    entry.commit(&PostParams::default()).await?;
    ensure!(maps.get_opt("entered").await?.is_some());
    Ok(())
}

pub async fn patch(client: Client, namespace: &str) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, namespace);
    let params = PatchParams::default();
    maps.patch("cm-02", &params, &Patch::Merge(json!({"data": {"merge": "1"}}))).await?;
    let patched =
        maps.patch("cm-02", &params, &Patch::Strategic(json!({"data": {"strategic": "1", "name": null}}))).await?;
    let expected = BTreeMap::from(["merge", "strategic"].map(|key| (key.to_owned(), "1".to_owned())));
    ensure!(patched.data == Some(expected), "{:?}", patched.data);
    refused(404, maps.patch("missing", &params, &Patch::Merge(json!({"data": {}}))).await)
}

/// Two managers apply fields of one object. The second needs `force` for a field of the first.
pub async fn apply(client: Client, namespace: &str) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, namespace);
    let configuration = |data: serde_json::Value| {
        Patch::Apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": data}))
    };
    maps.patch("applied", &PatchParams::apply("first"), &configuration(json!({"a": "1", "b": "1"}))).await?;
    refused(409, maps.patch("applied", &PatchParams::apply("second"), &configuration(json!({"a": "2"}))).await)?;
    maps.patch("applied", &PatchParams::apply("second").force(), &configuration(json!({"a": "2"}))).await?;
    // The first manager gives up `b`, which no other manager owns.
    let applied = maps.patch("applied", &PatchParams::apply("first"), &configuration(json!({}))).await?;
    ensure!(applied.data == Some(BTreeMap::from([("a".to_owned(), "2".to_owned())])), "{:?}", applied.data);
    let managers: Vec<_> = applied.managed_fields().iter().filter_map(|entry| entry.manager.as_deref()).collect();
    ensure!(managers.contains(&"second"), "{managers:?}");
    maps.delete("applied", &DeleteParams::default()).await?;
    Ok(())
}

/// The watcher lists first, then sees a create, a change and a delete.
pub async fn watch(client: Client, namespace: &str) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, namespace);
    let mut events = pin!(watcher(maps.clone(), watcher::Config::default().labels(LABEL)));
    let mut existing = 0;
    loop {
        match events.try_next().await?.context("the watch ended")? {
            watcher::Event::Init => {}
            watcher::Event::InitApply(_) => existing += 1,
            watcher::Event::InitDone => break,
            other => bail!("{other:?} before the end of the list"),
        }
    }
    ensure!(existing == 13, "{existing} objects in the first list");
    let change = async {
        maps.create(&PostParams::default(), &config_map("watched")).await?;
        maps.patch("watched", &PatchParams::default(), &Patch::Merge(json!({"data": {"a": "b"}}))).await?;
        maps.delete("watched", &DeleteParams::default()).await
    };
    let see = async {
        let mut seen = Vec::new();
        while seen.len() < 3 {
            match events.try_next().await?.context("the watch ended")? {
                watcher::Event::Apply(object) if object.name_any() == "watched" => {
                    seen.push(if object.data.as_ref().is_some_and(|data| data.contains_key("a")) {
                        "changed"
                    } else {
                        "created"
                    });
                }
                watcher::Event::Delete(object) if object.name_any() == "watched" => seen.push("deleted"),
                _ => {}
            }
        }
        Ok::<_, anyhow::Error>(seen)
    };
    let (changed, seen) = future::join(change, see).await;
    changed?;
    ensure!(seen? == ["created", "changed", "deleted"]);
    Ok(())
}

/// The store of a reflector follows the server. Streaming lists are used where the server has them.
pub async fn reflect(client: Client, namespace: &str) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, namespace);
    let (store, writer) = reflector::store();
    let config = watcher::Config::default().labels(LABEL).streaming_lists();
    let mut objects = pin!(reflector(writer, watcher(maps.clone(), config)).default_backoff().applied_objects());
    for _ in 0..13 {
        objects.try_next().await?.context("the reflector ended")?;
    }
    let drive = async {
        while let Some(object) = objects.try_next().await? {
            if object.name_any() == "late" {
                break;
            }
        }
        Ok::<_, anyhow::Error>(())
    };
    let late = config_map("late");
    let (driven, created) = future::join(drive, maps.create(&PostParams::default(), &late)).await;
    driven?;
    created?;
    let key = reflector::ObjectRef::new("late").within(namespace);
    ensure!(store.get(&key).is_some() && store.state().len() == 14, "{} objects in the store", store.state().len());
    Ok(())
}

pub async fn delete(client: Client, namespace: &str) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, namespace);
    maps.delete("cm-03", &DeleteParams::default()).await?;
    refused(404, maps.delete("cm-03", &DeleteParams::default()).await)?;
    maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels(LABEL)).await?;
    let left: Vec<_> =
        maps.list(&ListParams::default().labels(LABEL)).await?.into_iter().map(|map| map.name_any()).collect();
    ensure!(left.is_empty(), "{left:?}");
    Ok(())
}
