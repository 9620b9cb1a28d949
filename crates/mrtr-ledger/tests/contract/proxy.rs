//! A way to a store that can be cut.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Open,
    /// Connections are closed, also those that are open.
    Closed,
    /// Requests arrive, replies stay away.
    Silent,
    /// Requests arrive; instead of the reply the connection is closed.
    LosesReplies,
}

pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    way: watch::Sender<Way>,
}

impl Proxy {
    pub(crate) async fn to(store: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (way, seen) = watch::channel(Way::Open);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, store, seen.clone()));
            }
        });
        Self { address, way }
    }

    pub(crate) fn set(&self, way: Way) {
        self.way.send_replace(way);
    }
}

/// Carries bytes until either side, or the way, closes.
async fn carry(mut client: TcpStream, store: SocketAddr, mut way: watch::Receiver<Way>) {
    if *way.borrow() == Way::Closed {
        return;
    }
    let Ok(mut store) = TcpStream::connect(store).await else {
        return;
    };
    let (mut request, mut reply) = ([0; 16 * 1024], [0; 16 * 1024]);
    loop {
        tokio::select! {
            changed = way.changed() => {
                if changed.is_err() || *way.borrow() == Way::Closed {
                    return;
                }
            }
            read = client.read(&mut request) => match read {
                Ok(len @ 1..) if store.write_all(&request[..len]).await.is_ok() => {}
                _ => return,
            },
            read = store.read(&mut reply) => {
                let now = *way.borrow();
                match (read, now) {
                    (Ok(_), Way::Silent) => {}
                    (Ok(len @ 1..), Way::Open)
                        if client.write_all(&reply[..len]).await.is_ok() => {}
                    _ => return,
                }
            }
        }
    }
}
