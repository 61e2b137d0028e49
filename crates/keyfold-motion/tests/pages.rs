//! A copy that is killed at any of its requests goes on behind its checkpoints: it reads at most a page of each segment
//! again.
#![allow(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::{Engines, Fate, TABLE, count, engine, make_table, put};
use keyfold_api::Request;
use keyfold_motion::world::Place;
use keyfold_motion::{Ended, Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ITEMS: u64 = 60;
const SEGMENTS: u32 = 3;

fn options() -> Options {
    Options {
        until_even: true,
        segments: SEGMENTS,
        page: Some(4),
        ..Options::new(TABLE)
    }
}

/// Counts the requests, and the pages of the source's scan, up to the one at which the process is killed: nothing is
/// carried out behind it, and its own answer may be lost.
fn counted(world: &Engines, kill: usize, is_lost: bool) -> [Arc<AtomicUsize>; 2] {
    let counters = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    let [requests, pages] = counters.each_ref().map(Arc::clone);
    world.decide(move |place, request| {
        let at = requests.fetch_add(1, Ordering::SeqCst);
        if at > kill || (at == kill && !is_lost) {
            return Fate::NotSent;
        }
        let is_page = place == Place::Source && matches!(request, Request::Scan(_));
        pages.fetch_add(usize::from(is_page), Ordering::SeqCst);
        match at == kill {
            true => Fate::Lost,
            false => Fate::Done,
        }
    });
    counters
}

fn moved() -> Arc<Engines> {
    let source = engine();
    make_table(&source, false);
    for number in 0..ITEMS {
        put(&source, number, "text");
    }
    Engines::new(source, engine())
}

#[test]
fn a_killed_copy_reads_a_page_of_each_segment_again_at_most() {
    let world = moved();
    let [requests, pages] = counted(&world, usize::MAX, false);
    assert_eq!(
        world.carry(&options(), &Arc::default()).unwrap(),
        Ended::Even
    );
    let [requests, pages] = [requests, pages].map(|one| one.load(Ordering::SeqCst));
    assert!(pages > 15, "{pages}");
    let (mut killed, mut again) = (0, 0);
    // A page is a scan and a write: a scan is repeated whose answer is lost, and a write that was not sent.
    for (kill, is_lost) in (0..requests).flat_map(|kill| [(kill, false), (kill, true)]) {
        let world = moved();
        let [_, first] = counted(&world, kill, is_lost);
        killed += usize::from(world.carry(&options(), &Arc::default()).is_err());
        let [_, second] = counted(&world, usize::MAX, false);
        match world.carry(&options(), &Arc::default()) {
            Ok(ended) => assert_eq!(ended, Ended::Even),
            // Everything was copied before, and the source has no stream.
            Err(error) => assert!(error.to_string().contains("is copied"), "{error}"),
        }
        assert_eq!(
            count(world.of(Place::Target), TABLE) as u64,
            ITEMS,
            "{kill}, lost: {is_lost}"
        );
        let read = first.load(Ordering::SeqCst) + second.load(Ordering::SeqCst);
        let most = pages + SEGMENTS as usize;
        assert!(read <= most, "killed at {kill}: {read} pages of {pages}");
        again += usize::from(read > pages);
    }
    assert!(
        killed > 20 && again > 5,
        "{killed} killed, {again} read pages again"
    );
}
