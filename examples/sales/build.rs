//! Makes the client of the model.

fn main() -> Result<(), keyfold_build::Error> {
    keyfold_build::generate("sales.keyfold")
}
