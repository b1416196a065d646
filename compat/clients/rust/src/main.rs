//! Uses kube-rs with its default settings: prints a line for each step and ends with code 1 at the first failure.
//!
//! usage: kube-rs-client KUBECONFIG NAMESPACE

mod controller;
mod objects;

use std::{future::Future, process::ExitCode, time::Duration};

use anyhow::{Context as _, Result, bail};
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};

/// A step that hangs is a failure too.
const DEADLINE: Duration = Duration::from_secs(60);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match tokio::time::timeout(DEADLINE, run()).await {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            println!("FAIL {error:?}");
            ExitCode::FAILURE
        }
        Err(_) => {
            println!("FAIL no end after {DEADLINE:?}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, kubeconfig, namespace] = arguments.as_slice() else {
        bail!("usage: kube-rs-client KUBECONFIG NAMESPACE");
    };
    let config =
        Config::from_custom_kubeconfig(Kubeconfig::read_from(kubeconfig)?, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(config)?;

    step("version and discovery", objects::discover(client.clone())).await?;
    step("create", objects::create(client.clone(), namespace)).await?;
    step("list in pages", objects::list_in_pages(client.clone(), namespace)).await?;
    step("replace", objects::replace(client.clone(), namespace)).await?;
    step("patch", objects::patch(client.clone(), namespace)).await?;
    step("server-side apply", objects::apply(client.clone(), namespace)).await?;
    step("watcher", objects::watch(client.clone(), namespace)).await?;
    step("reflector", objects::reflect(client.clone(), namespace)).await?;
    step("delete", objects::delete(client.clone(), namespace)).await?;
    step("custom resource from its derive", controller::define(client.clone())).await?;
    step("controller with finalizer and status", controller::control(client.clone(), namespace)).await?;
    step("remove the definition", controller::remove(client.clone())).await
}

async fn step(name: &str, work: impl Future<Output = Result<()>>) -> Result<()> {
    work.await.with_context(|| format!("step `{name}`"))?;
    println!("ok   {name}");
    Ok(())
}
