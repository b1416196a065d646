//! A custom resource from a derive, and a controller that writes its status and holds it with a finalizer.

use std::{pin::pin, sync::Arc, time::Duration};

use anyhow::{Context as _, Result, bail, ensure};
use futures::{StreamExt as _, future};
use k8s_openapi::{
    api::core::v1::ConfigMap, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResource, CustomResourceExt as _, Resource as _, ResourceExt as _,
    api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams},
    runtime::{
        Controller,
        controller::Action,
        finalizer::{Event, finalizer},
        wait::{await_condition, conditions},
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const FINALIZER: &str = "rs.compat.example.com/cleanup";

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "rs.compat.example.com",
    version = "v1",
    kind = "Gadget",
    namespaced,
    status = "GadgetStatus",
    shortname = "gdg"
)]
#[kube(printcolumn = r#"{"name":"Size","type":"integer","jsonPath":".spec.size"}"#)]
pub struct GadgetSpec {
    #[schemars(range(min = 1, max = 10))]
    size: i32,
    #[serde(default = "standard_color")]
    color: String,
}

fn standard_color() -> String {
    "red".to_owned()
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct GadgetStatus {
    doubled: i32,
    observed_generation: Option<i64>,
}

pub async fn define(client: Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client);
    definitions.create(&PostParams::default(), &Gadget::crd()).await?;
    await_condition(definitions, Gadget::crd_name(), conditions::is_crd_established()).await?;
    Ok(())
}

struct State {
    client: Client,
}

/// Creates a ConfigMap that the gadget owns and writes the status. On deletion removes the ConfigMap.
async fn reconcile(
    gadget: Arc<Gadget>,
    state: Arc<State>,
) -> Result<Action, kube::runtime::finalizer::Error<kube::Error>> {
    let namespace = gadget.namespace().unwrap_or_default();
    let gadgets: Api<Gadget> = Api::namespaced(state.client.clone(), &namespace);
    let maps: Api<ConfigMap> = Api::namespaced(state.client.clone(), &namespace);
    let (gadgets, maps) = (&gadgets, &maps);
    finalizer(gadgets, FINALIZER, gadget, |event| async move {
        match event {
            Event::Apply(gadget) => {
                let owned = ConfigMap {
                    metadata: ObjectMeta {
                        name: Some(gadget.name_any()),
                        owner_references: gadget.controller_owner_ref(&()).map(|owner| vec![owner]),
                        ..ObjectMeta::default()
                    },
                    ..ConfigMap::default()
                };
                match maps.create(&PostParams::default(), &owned).await {
                    Err(kube::Error::Api(status)) if status.is_already_exists() => {}
                    other => drop(other?),
                }
                let status = json!({"status": {"doubled": gadget.spec.size * 2, "observed_generation": gadget.metadata.generation}});
                gadgets.patch_status(&gadget.name_any(), &PatchParams::default(), &Patch::Merge(status)).await?;
            }
            Event::Cleanup(gadget) => match maps.delete(&gadget.name_any(), &DeleteParams::default()).await {
                Err(kube::Error::Api(status)) if status.is_not_found() => {}
                other => drop(other?),
            },
        }
        Ok(Action::await_change())
    })
    .await
}

pub async fn control(client: Client, namespace: &str) -> Result<()> {
    let gadgets: Api<Gadget> = Api::namespaced(client.clone(), namespace);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let state = Arc::new(State { client });
    let controller = Controller::new(gadgets.clone(), watcher::Config::default())
        .owns(maps.clone(), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(200)), state)
        .for_each(|_| future::ready(()));
    match future::select(pin!(controller), pin!(exercise(gadgets, maps))).await {
        future::Either::Left(_) => bail!("the controller ended"),
        future::Either::Right((result, _)) => result,
    }
}

/// The requests of a user while the controller runs.
async fn exercise(gadgets: Api<Gadget>, maps: Api<ConfigMap>) -> Result<()> {
    let params = PostParams::default();
    let invalid = gadgets.create(&params, &Gadget::new("big", GadgetSpec { size: 11, color: standard_color() })).await;
    ensure!(matches!(&invalid, Err(kube::Error::Api(status)) if status.code == 422), "{invalid:?}");
    gadgets.create(&params, &Gadget::new("g", GadgetSpec { size: 3, color: "blue".to_owned() })).await?;
    let doubled = |value: i32| {
        move |gadget: Option<&Gadget>| {
            gadget.and_then(|gadget| gadget.status.as_ref()).is_some_and(|status| status.doubled == value)
        }
    };
    await_condition(gadgets.clone(), "g", doubled(6)).await?;
    let owned = maps.get("g").await?;
    ensure!(owned.owner_references()[0].kind == Gadget::kind(&()));

    gadgets.patch("g", &PatchParams::default(), &Patch::Merge(json!({"spec": {"size": 5}}))).await?;
    let gadget = await_condition(gadgets.clone(), "g", doubled(10)).await?.context("the gadget is gone")?;
    ensure!(gadget.finalizers() == [FINALIZER] && gadget.metadata.generation == Some(2), "{:?}", gadget.metadata);

    // The controller restores what it owns.
    let first = owned.uid().unwrap_or_default();
    maps.delete("g", &DeleteParams::default()).await?;
    let is_restored = move |map: Option<&ConfigMap>| map.is_some_and(|map| map.uid().is_some_and(|uid| uid != first));
    await_condition(maps.clone(), "g", is_restored).await?;

    let uid = gadget.uid().unwrap_or_default();
    gadgets.delete("g", &DeleteParams::default()).await?;
    await_condition(gadgets.clone(), "g", conditions::is_deleted(&uid)).await?;
    ensure!(maps.get_opt("g").await?.is_none());
    Ok(())
}

pub async fn remove(client: Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client);
    let uid = definitions.get(Gadget::crd_name()).await?.uid().unwrap_or_default();
    definitions.delete(Gadget::crd_name(), &DeleteParams::default()).await?;
    await_condition(definitions, Gadget::crd_name(), conditions::is_deleted(&uid)).await?;
    Ok(())
}
