//! A tool that runs until it is let go.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mrtr::server::{Notify as _, Tool, tool};
use mrtr::{Cx, ToolError};
use tokio::sync::Semaphore;

/// What a test sees of a tool that runs until it is let go.
#[derive(Clone)]
pub(crate) struct Gate {
    entered: Arc<Semaphore>,
    go: Arc<Semaphore>,
    left: Arc<Semaphore>,
    inside: Arc<AtomicU32>,
    pub(crate) most: Arc<AtomicU32>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        let none = || Arc::new(Semaphore::new(0));
        Self {
            entered: none(),
            go: none(),
            left: none(),
            inside: Arc::default(),
            most: Arc::default(),
        }
    }

    pub(crate) fn tool(&self) -> Tool {
        let gate = self.clone();
        tool("gate", move |cx: Cx, (): ()| {
            let gate = gate.clone();
            async move {
                struct Leaves(Gate);
                impl Drop for Leaves {
                    fn drop(&mut self) {
                        self.0.inside.fetch_sub(1, Ordering::SeqCst);
                        self.0.left.add_permits(1);
                    }
                }
                let inside = gate.inside.fetch_add(1, Ordering::SeqCst) + 1;
                gate.most.fetch_max(inside, Ordering::SeqCst);
                let _leaves = Leaves(gate.clone());
                cx.progress(1.0, None, None);
                gate.entered.add_permits(1);
                gate.go.acquire().await.unwrap().forget();
                cx.progress(2.0, None, None);
                Ok::<_, ToolError>("through")
            }
        })
    }

    pub(crate) async fn entered(&self, times: u32) {
        self.entered.acquire_many(times).await.unwrap().forget();
    }

    pub(crate) async fn left(&self, times: u32) {
        self.left.acquire_many(times).await.unwrap().forget();
    }

    pub(crate) fn let_go(&self, times: usize) {
        self.go.add_permits(times);
    }
}
