//! The entry for libFuzzer; `KEYFOLD_FUZZ_TARGET` names the target. Without the feature
//! `libfuzzer`, the program runs the corpora once.
#![cfg_attr(feature = "libfuzzer", no_main)]

#[cfg(feature = "libfuzzer")]
mod under_libfuzzer {
    use std::sync::OnceLock;

    static TARGET: OnceLock<keyfold_fuzz::Target> = OnceLock::new();

    libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
        let target = TARGET.get_or_init(|| {
            let name = std::env::var("KEYFOLD_FUZZ_TARGET").unwrap_or_default();
            keyfold_fuzz::target(&name).expect("KEYFOLD_FUZZ_TARGET names a target")
        });
        target(bytes);
    });
}

#[cfg(not(feature = "libfuzzer"))]
fn main() {
    for (name, target) in keyfold_fuzz::TARGETS {
        keyfold_fuzz::corpus::of(name)
            .iter()
            .for_each(|input| target(input));
    }
}
