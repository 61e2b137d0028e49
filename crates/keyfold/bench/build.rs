//! Makes the client of the orders.

fn main() -> Result<(), keyfold_build::Error> {
    keyfold_build::generate("bench.keyfold")
}
