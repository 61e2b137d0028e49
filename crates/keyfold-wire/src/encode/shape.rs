//! Bodies of the operations whose inputs and outputs are shapes.

use super::item::{tree, value};
use super::stored::raw_item;
use super::writer::Writer;
use keyfold_api::Member;
use keyfold_api::{Shape, ShapeWriter};
use keyfold_codec::RawItem;
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

impl ShapeWriter for Writer<'_> {
    fn member(&mut self, name: &str) {
        self.name(name);
    }

    fn text(&mut self, text: &str) {
        self.string(text);
    }

    fn integer(&mut self, number: i64) {
        self.plain(number);
    }

    fn number(&mut self, number: f64) {
        self.plain(number);
    }

    fn moment(&mut self, epoch_ms: u64) {
        match epoch_ms % 1000 {
            0 => self.plain(epoch_ms / 1000),
            fraction => self.plain(format_args!("{}.{fraction:03}", epoch_ms / 1000)),
        }
    }

    fn boolean(&mut self, given: bool) {
        self.plain(given);
    }

    fn value(&mut self, given: &Value) {
        value(self, given);
    }

    fn attributes(&mut self, item: &Item) {
        tree(self, item);
    }

    fn encoded(&mut self, item: &RawItem) {
        raw_item(self, item);
    }

    fn elements<T: Member>(&mut self, list: &[T]) {
        self.array(|writer| list.iter().for_each(|element| element.write(writer)));
    }

    fn entries<T: Member>(&mut self, map: &BTreeMap<String, T>) {
        self.object(|writer| {
            for (name, entry) in map {
                writer.name(name);
                entry.write(writer);
            }
        });
    }

    fn structure<T: Shape>(&mut self, shape: &T) {
        self.object(|writer| shape.write_members(writer));
    }
}
