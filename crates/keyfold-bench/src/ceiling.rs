//! The ceiling: a bare HTTP server that reads each request and answers with a fixed body. Its rate
//! is the most that a server over the same HTTP library can reach.

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io::{self, Write};
use tokio::net::TcpListener;

/// Prints the address of a free port, and serves there until the process ends.
pub(crate) fn serve(body_bytes: usize) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async move {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let mut out = io::stdout();
        writeln!(out, "{}", listener.local_addr()?)?;
        out.flush()?;
        let body = Bytes::from(vec![b'x'; body_bytes]);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let body = body.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| answer(request, body.clone()));
                let served = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .serve_connection(TokioIo::new(stream), service);
                // A client that disconnects is no error.
                drop(served.await);
            });
        }
    })
}

async fn answer(
    request: Request<Incoming>,
    body: Bytes,
) -> Result<Response<Full<Bytes>>, Infallible> {
    drop(request.into_body().collect().await);
    let mut response = Response::new(Full::new(body));
    let headers = response.headers_mut();
    headers.insert(
        "content-type",
        HeaderValue::from_static("application/x-amz-json-1.0"),
    );
    headers.insert("x-amz-crc32", HeaderValue::from_static("2745614147"));
    headers.insert(
        "x-amzn-requestid",
        HeaderValue::from_static("4KBNVRGD25RG1KEO9UT4V3FQDJVV4KQNSO5AEMVJF66Q9ASUAAJG"),
    );
    Ok(response)
}
