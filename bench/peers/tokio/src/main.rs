//! Tokio measured on the common workloads: a task stands for a goroutine, `-procs` is the number of
//! worker threads. mpsc channels stand for channels with one receiver, async-channel for those with
//! several; there is no unbuffered channel, capacity 1 is the nearest.
use std::future::Future;
use std::io::Write;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, watch, Mutex, Notify, RwLock};

static PROCS: AtomicUsize = AtomicUsize::new(2);

fn emit(workload: &str, value: f64, unit: &str) {
    let peer = std::env::var("PEER").unwrap_or_else(|_| "tokio".into());
    let p = PROCS.load(Relaxed);
    print!("{{\"peer\":\"{peer}\",\"workload\":\"{workload}\",\"procs\":{p},");
    println!("\"value\":{value:.4},\"unit\":\"{unit}\"}}");
}

fn reps() -> usize {
    std::env::var("BENCH_REPS").ok().and_then(|v| v.parse().ok()).unwrap_or(5).max(1)
}

fn rep_ns() -> f64 {
    std::env::var("BENCH_MS").ok().and_then(|v| v.parse().ok()).unwrap_or(1000.0) * 1e6
}

fn median(v: &[f64]) -> f64 {
    let mut s = v.to_vec();
    s.sort_by(|a, b| a.total_cmp(b));
    s[s.len() / 2]
}

fn pct(sorted: &[f64], p: f64) -> f64 {
    sorted[((p * sorted.len() as f64) as usize).min(sorted.len() - 1)]
}

async fn bench<F, Fut>(name: &str, step: usize, f: F)
where
    F: Fn(usize) -> Fut,
    Fut: Future<Output = ()>,
{
    let target = rep_ns();
    let round = |x: f64| ((x as usize + step - 1) / step * step).max(step);
    let mut n = step;
    loop {
        let t = Instant::now();
        f(n).await;
        let d = t.elapsed().as_nanos() as f64;
        if d >= target / 8.0 {
            n = round(n as f64 * target / d);
            break;
        }
        n = if d < 1e6 { n * 10 } else { round(n as f64 * target / d / 4.0) };
    }
    let mut v = vec![];
    for _ in 0..reps() {
        let t = Instant::now();
        f(n).await;
        v.push(t.elapsed().as_nanos() as f64 / n as f64);
    }
    emit(name, median(&v), "ns/op");
}

async fn bench_ms<F, Fut>(name: &str, f: F)
where
    F: Fn() -> Fut,
    Fut: Future<Output = ()>,
{
    f().await;
    let mut v = vec![];
    for _ in 0..reps() {
        let t = Instant::now();
        f().await;
        v.push(t.elapsed().as_nanos() as f64 / 1e6);
    }
    emit(name, median(&v), "ms");
}

struct WaitGroup {
    n: AtomicI64,
    wake: Notify,
}

impl WaitGroup {
    fn new(n: usize) -> Arc<Self> {
        Arc::new(WaitGroup { n: AtomicI64::new(n as i64), wake: Notify::new() })
    }
    fn done(&self) {
        if self.n.fetch_sub(1, AcqRel) == 1 {
            self.wake.notify_one();
        }
    }
    async fn wait(&self) {
        while self.n.load(Acquire) != 0 {
            self.wake.notified().await;
        }
    }
}

async fn spawn_batch(k: usize) {
    let wg = WaitGroup::new(k);
    for _ in 0..k {
        let w = wg.clone();
        tokio::spawn(async move { w.done() });
    }
    wg.wait().await;
}

/// n items from p producers to c consumers over an async-channel.
async fn pipe(n: usize, p: usize, c: usize, cap: usize) {
    let (tx, rx) = async_channel::bounded::<usize>(cap);
    let mut hs = vec![];
    for _ in 0..p {
        let tx = tx.clone();
        hs.push(tokio::spawn(async move {
            for i in 0..n / p {
                tx.send(i).await.unwrap();
            }
        }));
    }
    drop(tx);
    for _ in 0..c {
        let rx = rx.clone();
        hs.push(tokio::spawn(async move { while rx.recv().await.is_ok() {} }));
    }
    drop(rx);
    for h in hs {
        h.await.unwrap();
    }
}

fn fib(n: u32) -> Pin<Box<dyn Future<Output = u64> + Send>> {
    Box::pin(async move {
        if n < 2 {
            return n as u64;
        }
        let l = tokio::spawn(fib(n - 1));
        let r = fib(n - 2).await;
        l.await.unwrap() + r
    })
}

fn skynet(tx: mpsc::Sender<u64>, num: u64, size: u64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        if size == 1 {
            let _ = tx.send(num).await;
            return;
        }
        let (ctx, mut crx) = mpsc::channel(10);
        let sub = size / 10;
        for i in 0..10 {
            tokio::spawn(skynet(ctx.clone(), num + i * sub, sub));
        }
        drop(ctx);
        let mut sum = 0;
        for _ in 0..10 {
            sum += crx.recv().await.unwrap();
        }
        let _ = tx.send(sum).await;
    })
}

const SUM_TASKS: u64 = 512;
fn sum_cost(i: u64) -> u64 {
    let h = (i + 1).wrapping_mul(0x9E3779B97F4A7C15) >> 58;
    2000 + h * h * h
}
fn burn(x: u64, n: u64) -> u64 {
    let mut x = x | 1;
    for _ in 0..n {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    x
}

fn rss() -> f64 {
    let s = std::fs::read_to_string("/proc/self/statm").unwrap();
    s.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 4096.0
}
fn cpu_seconds() -> f64 {
    unsafe {
        let mut u: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut u);
        (u.ru_utime.tv_sec + u.ru_stime.tv_sec) as f64
            + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) as f64 / 1e6
    }
}

async fn parked(name: &str, n: usize) {
    let (mut create, mut wake) = (vec![], vec![]);
    let mut per = 0.0;
    for r in 0..reps() + 1 {
        let before = rss();
        let (tx, rx) = watch::channel(0);
        let up = Arc::new(AtomicUsize::new(0));
        let wg = WaitGroup::new(n);
        let t = Instant::now();
        for _ in 0..n {
            let (mut rx, up, wg) = (rx.clone(), up.clone(), wg.clone());
            tokio::spawn(async move {
                up.fetch_add(1, Relaxed);
                let _ = rx.changed().await;
                wg.done();
            });
        }
        while up.load(Relaxed) < n {
            tokio::task::yield_now().await;
        }
        let c = t.elapsed().as_nanos() as f64 / n as f64;
        if r == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            per = (rss() - before) / n as f64;
        }
        let t = Instant::now();
        tx.send(1).unwrap();
        wg.wait().await;
        let w = t.elapsed().as_nanos() as f64 / n as f64;
        if r == 0 {
            emit(&format!("{name}.create_cold"), c, "ns/goroutine");
            emit(&format!("{name}.wake_cold"), w, "ns/goroutine");
        } else {
            create.push(c);
            wake.push(w);
        }
    }
    emit(&format!("{name}.create"), median(&create), "ns/goroutine");
    emit(&format!("{name}.wake"), median(&wake), "ns/goroutine");
    emit(&format!("{name}.rss"), per, "B/goroutine");
}

async fn sleep_100k() {
    let n = 100_000;
    let wg = WaitGroup::new(n);
    let over = Arc::new((0..n).map(|_| AtomicU64::new(0)).collect::<Vec<_>>());
    let cpu = cpu_seconds();
    let mut x: u64 = 1;
    for i in 0..n {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let d = Duration::from_millis(1 + (x >> 33) % 1000);
        let (wg, over) = (wg.clone(), over.clone());
        tokio::spawn(async move {
            let t = Instant::now();
            tokio::time::sleep(d).await;
            over[i].store((t.elapsed().saturating_sub(d)).as_nanos() as u64, Relaxed);
            wg.done();
        });
    }
    wg.wait().await;
    let cpu = cpu_seconds() - cpu;
    let mut v: Vec<f64> = over.iter().map(|o| o.load(Relaxed) as f64 / 1e6).collect();
    v.sort_by(|a, b| a.total_cmp(b));
    emit("sleep_100k.p50", pct(&v, 0.5), "ms");
    emit("sleep_100k.p99", pct(&v, 0.99), "ms");
    emit("sleep_100k.cpu", cpu, "s");
}

async fn mutex_contended(n: usize) {
    let mu = Arc::new(Mutex::new(0u64));
    let wg = WaitGroup::new(8);
    for _ in 0..8 {
        let (mu, wg) = (mu.clone(), wg.clone());
        tokio::spawn(async move {
            for _ in 0..n / 8 {
                *mu.lock().await += 1;
            }
            wg.done();
        });
    }
    wg.wait().await;
    assert_eq!(*mu.lock().await, n as u64);
}

async fn rwmutex_read(n: usize) {
    let mu = Arc::new(RwLock::new(1u64));
    let wg = WaitGroup::new(8);
    for _ in 0..8 {
        let (mu, wg) = (mu.clone(), wg.clone());
        tokio::spawn(async move {
            let mut s = 0;
            for _ in 0..n / 8 {
                s += *mu.read().await;
            }
            unsafe { std::ptr::read_volatile(&s) }; // the sum counts as used
            wg.done();
        });
    }
    wg.wait().await;
}

async fn select_2(n: usize) {
    let (ta, mut ra) = mpsc::channel::<i64>(1);
    let (tb, mut rb) = mpsc::channel::<i64>(1);
    for t in [ta, tb] {
        tokio::spawn(async move {
            for i in 0..n / 2 {
                t.send(i as i64).await.unwrap();
            }
            std::future::pending::<()>().await;
        });
    }
    let mut sum = 0;
    for _ in 0..n {
        tokio::select! {
            Some(v) = ra.recv() => sum += v,
            Some(v) = rb.recv() => sum -= v,
        }
    }
    assert_eq!(sum, 0);
}

/// Polls its sleep once, which arms the timer; dropping it disarms it.
struct PollOnce(Pin<Box<tokio::time::Sleep>>);

impl Future for PollOnce {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let _ = self.0.as_mut().poll(cx);
        Poll::Ready(())
    }
}

async fn timer_reset(n: usize) {
    for _ in 0..n {
        PollOnce(Box::pin(tokio::time::sleep(Duration::from_secs(3600)))).await;
    }
}

async fn listen() -> tokio::net::TcpListener {
    let l = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("PORT {}", l.local_addr().unwrap().port());
    std::io::stdout().flush().unwrap();
    l
}

async fn tcp_echo_server() {
    let l = listen().await;
    loop {
        let (mut c, _) = l.accept().await.unwrap();
        c.set_nodelay(true).unwrap();
        tokio::spawn(async move {
            let mut buf = [0u8; 1024];
            loop {
                match c.read(&mut buf).await {
                    Ok(n) if n > 0 => {
                        if c.write_all(&buf[..n]).await.is_err() {
                            return;
                        }
                    }
                    _ => return,
                }
            }
        });
    }
}

async fn http_hello_server() {
    use hyper::service::service_fn;
    let l = listen().await;
    loop {
        let (c, _) = l.accept().await.unwrap();
        c.set_nodelay(true).unwrap();
        tokio::spawn(async move {
            let svc = service_fn(|_req| async {
                let mut r = hyper::Response::new(hyper::Body::from("Hello, World!"));
                let text = hyper::header::HeaderValue::from_static("text/plain");
                r.headers_mut().insert("Content-Type", text);
                Ok::<_, std::convert::Infallible>(r)
            });
            let _ = hyper::server::conn::Http::new().serve_connection(c, svc).await;
        });
    }
}

/// Blocking sleeps go to the blocking pool, as Tokio's users must send them; the counters are
/// tasks.
fn syscall_handoff(rt: &tokio::runtime::Runtime) {
    let count = |blockers: usize| {
        let stop = Arc::new(AtomicBool::new(false));
        let mut hs = vec![];
        for _ in 0..blockers {
            let stop = stop.clone();
            hs.push(rt.spawn_blocking(move || {
                while !stop.load(Relaxed) {
                    let ts = libc::timespec { tv_sec: 0, tv_nsec: 20_000_000 };
                    unsafe { libc::nanosleep(&ts, std::ptr::null_mut()) };
                }
                0u64
            }));
        }
        std::thread::sleep(Duration::from_millis(100));
        let t = Instant::now();
        let mut cs = vec![];
        for _ in 0..PROCS.load(Relaxed) {
            let stop = stop.clone();
            cs.push(rt.spawn(async move {
                let mut x = 0u64;
                while !stop.load(Relaxed) {
                    x += 1;
                }
                x
            }));
        }
        std::thread::sleep(Duration::from_nanos(rep_ns() as u64));
        stop.store(true, Relaxed);
        let d = t.elapsed().as_secs_f64();
        let total: u64 = rt.block_on(async {
            let mut s = 0;
            for c in cs {
                s += c.await.unwrap();
            }
            for h in hs {
                h.await.unwrap();
            }
            s
        });
        total as f64 / d
    };
    let v: Vec<f64> = (0..reps()).map(|_| count(64) / count(0)).collect();
    emit("syscall_handoff.kept", median(&v), "fraction");
    let n = std::fs::read_dir("/proc/self/task").unwrap().count();
    emit("syscall_handoff.threads", n as f64, "threads");
}

async fn run(w: String) {
    match w.as_str() {
        "spawn" => bench("spawn", 1000, |n| async move {
            for _ in 0..n / 1000 {
                spawn_batch(1000).await
            }
        })
        .await,
        "spawn_wake" => bench("spawn_wake", 1, |n| async move {
            for _ in 0..n {
                tokio::spawn(async {}).await.unwrap();
            }
        })
        .await,
        "yield" => bench("yield", 2, |n| async move {
            let body = move || async move {
                for _ in 0..n / 2 {
                    tokio::task::yield_now().await;
                }
            };
            let (a, b) = (tokio::spawn(body()), tokio::spawn(body()));
            a.await.unwrap();
            b.await.unwrap();
        })
        .await,
        "ping_pong" => bench("ping_pong", 1, |n| async move {
            let (ta, mut ra) = mpsc::channel::<usize>(1);
            let (tb, mut rb) = mpsc::channel::<usize>(1);
            tokio::spawn(async move {
                while let Some(v) = ra.recv().await {
                    if tb.send(v).await.is_err() {
                        return;
                    }
                }
            });
            for i in 0..n {
                ta.send(i).await.unwrap();
                rb.recv().await.unwrap();
            }
        })
        .await,
        "chan_spsc" => bench("chan_spsc", 1, |n| async move {
            let (tx, mut rx) = mpsc::channel::<usize>(128);
            let p = tokio::spawn(async move {
                for i in 0..n {
                    tx.send(i).await.unwrap();
                }
            });
            let c = tokio::spawn(async move { while rx.recv().await.is_some() {} });
            p.await.unwrap();
            c.await.unwrap();
        })
        .await,
        "chan_mpmc" => bench("chan_mpmc", 4, |n| pipe(n, 4, 4, 128)).await,
        "chan_unbuffered_mpmc" => bench("chan_unbuffered_mpmc", 4, |n| pipe(n, 4, 4, 1)).await,
        "select_2" => bench("select_2", 2, select_2).await,
        "select_default" => {
            let (_tx, rx) = mpsc::channel::<usize>(1);
            let rx = Arc::new(std::sync::Mutex::new(Some(rx)));
            bench("select_default", 1, |n| {
                let rx = rx.clone();
                async move {
                    let mut r = rx.lock().unwrap().take().unwrap();
                    for _ in 0..n {
                        if r.try_recv().is_ok() {
                            panic!();
                        }
                    }
                    *rx.lock().unwrap() = Some(r);
                }
            })
            .await
        }
        "mutex_uncontended" => {
            let mu = Arc::new(Mutex::new(0u64));
            bench("mutex_uncontended", 1, |n| {
                let mu = mu.clone();
                async move {
                    for _ in 0..n {
                        *mu.lock().await += 1;
                    }
                }
            })
            .await
        }
        "mutex_contended" => bench("mutex_contended", 8, mutex_contended).await,
        "rwmutex_read" => bench("rwmutex_read", 8, rwmutex_read).await,
        "waitgroup_fanout" => bench("waitgroup_fanout", 1, |n| async move {
            for _ in 0..n {
                spawn_batch(100).await
            }
        })
        .await,
        "skynet" => bench_ms("skynet", || async {
            let (tx, mut rx) = mpsc::channel(10);
            tokio::spawn(skynet(tx, 0, 1_000_000));
            assert_eq!(rx.recv().await, Some(499_999_500_000));
        })
        .await,
        "fib_forkjoin" => {
            bench_ms("fib_forkjoin", || async { assert_eq!(fib(27).await, 196418) }).await
        }
        "parallel_sum" => bench_ms("parallel_sum", || async {
            let wg = WaitGroup::new(SUM_TASKS as usize);
            let total = Arc::new(AtomicU64::new(0));
            for i in 0..SUM_TASKS {
                let (wg, total) = (wg.clone(), total.clone());
                tokio::spawn(async move {
                    total.fetch_add(burn(i, sum_cost(i)), Relaxed);
                    wg.done();
                });
            }
            wg.wait().await;
        })
        .await,
        "parked_100k" => parked("parked_100k", 100_000).await,
        "parked_1m" => parked("parked_1m", 1_000_000).await,
        "sleep_100k" => sleep_100k().await,
        "timer_reset" => bench("timer_reset", 1, timer_reset).await,
        "tcp_echo_server" => tcp_echo_server().await,
        "http_hello_server" => http_hello_server().await,
        _ => {
            eprintln!("no such workload: {w}");
            std::process::exit(2)
        }
    }
}

fn main() {
    let mut w = String::new();
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        if a == "-procs" {
            PROCS.store(args.next().unwrap().parse().unwrap(), Relaxed);
        } else {
            w = a;
        }
    }
    let rt = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(PROCS.load(Relaxed))
        .enable_all()
        .build()
        .unwrap();
    if w == "syscall_handoff" {
        syscall_handoff(&rt);
        return;
    }
    rt.block_on(async { tokio::spawn(run(w)).await.unwrap() });
}
