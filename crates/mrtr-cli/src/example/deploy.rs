//! `deploy`: asks before it does something that cannot be undone, and takes a no for an answer.

use std::fmt;

use mrtr::server::{Notify as _, Tool, tool};
use mrtr::{Cx, Refused, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Deployment {
    /// The service to deploy: web, api or worker
    service: String,
    /// Where to; staging by default
    #[serde(default)]
    target: Stage,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Stage {
    #[default]
    Staging,
    Production,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Staging => "staging",
            Self::Production => "production",
        })
    }
}

/// What will happen. Kept short: it travels through the client in the sealed state.
#[derive(Serialize, Deserialize)]
struct Plan {
    from: String,
    to: String,
    changes: Vec<String>,
    instances: u32,
}

async fn deploy(cx: Cx, deployment: Deployment) -> Result<String, ToolError> {
    let Deployment { service, target } = deployment;
    // A step: what was confirmed is what gets deployed, even if there is a newer build by then.
    let plan: Plan = cx.step("plan", || plan(&service)).await?;
    match cx
        .confirm("confirm", question(&service, target, &plan))
        .await
    {
        Ok(()) => {}
        Err(Refused::Declined(_)) => {
            let no = format!("Nothing was deployed: {service} stays at {}.", plan.from);
            return Err(ToolError::visible(no));
        }
        Err(cancelled) => return Err(cancelled.into()),
    }
    for instance in 1..=plan.instances {
        cx.progress(
            instance.into(),
            Some(plan.instances.into()),
            "Replacing instances",
        );
        replace_instance(&service, instance).await;
    }
    let Plan { to, instances, .. } = plan;
    Ok(format!(
        "Deployed {service} {to} to {target}, on {instances} instances."
    ))
}

fn question(service: &str, target: Stage, plan: &Plan) -> String {
    let mut text = format!(
        "Deploy {service} to {target}, from {} to {}?\n",
        plan.from, plan.to
    );
    for change in &plan.changes {
        text.push_str("\n- ");
        text.push_str(change);
    }
    text
}

/// Stands for a question to the build system.
async fn plan(service: &str) -> Result<Plan, ToolError> {
    let (from, to, changes, instances) = match service {
        "web" => (
            "4.1.0",
            "4.2.0",
            ["Faster search", "New sign-in page"].as_slice(),
            3,
        ),
        "api" => (
            "2.7.3",
            "2.8.0",
            ["Drops the endpoint /v1/export"].as_slice(),
            5,
        ),
        "worker" => ("1.0.9", "1.1.0", ["Retries failed jobs"].as_slice(), 2),
        _ => {
            let unknown = format!("There is no service `{service}`: it is web, api or worker.");
            return Err(ToolError::visible(unknown));
        }
    };
    Ok(Plan {
        from: from.to_owned(),
        to: to.to_owned(),
        changes: changes.iter().map(|&change| change.to_owned()).collect(),
        instances,
    })
}

/// Stands for the real work.
async fn replace_instance(service: &str, instance: u32) {
    tracing::info!(service, instance, "replaced an instance");
    tokio::task::yield_now().await;
}

pub(super) fn register() -> Tool {
    tool("deploy", deploy)
        .title("Deploy a service")
        .description("Deploys a service. Says what would be deployed and asks for a yes first.")
        .destructive(true)
}
