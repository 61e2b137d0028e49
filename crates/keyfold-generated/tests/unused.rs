//! A private module of which a program uses nothing compiles without a warning, as a client in a binary does.
#![deny(dead_code)]
#![allow(
    unreachable_pub,
    reason = "a client is public to the programs that share it"
)]

mod shop {
    include!(concat!(env!("OUT_DIR"), "/shop/shop.rs"));
}

#[test]
fn a_client_of_which_little_is_used_gives_no_warning() {
    let opened: fn(_) -> _ = shop::ShopClient::new;
    let _ = opened;
}
