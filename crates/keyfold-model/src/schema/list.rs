//! The declarations of a model, in a list that counts how many of them are walked over.
//!
//! A search through all entities for each entity takes a time that grows with the square of a model.
//! The count shows it on every machine alike, where a clock does not.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// The steps that this thread has made over declarations, and over kinds that may share a key. A test
/// compares those of a model with those of a model of twice its size.
#[doc(hidden)]
pub fn steps() -> u64 {
    STEPS.get()
}

/// Counts a step.
pub(crate) fn step() {
    STEPS.set(STEPS.get().wrapping_add(1));
}

/// A declaration with a name, which stays.
pub trait Named {
    /// Its name.
    fn name(&self) -> &str;
}

/// A list of declarations: they are found by name without a search, and walks over them are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct List<T> {
    all: Vec<T>,
    /// The first place of each name.
    places: HashMap<String, usize>,
}

impl<T> List<T> {
    /// The declarations in order.
    pub fn iter(&self) -> Walk<'_, T> {
        Walk(self.all.iter())
    }

    /// The first declaration of a name.
    pub fn named(&self, name: &str) -> Option<&T> {
        self.all.get(*self.places.get(name)?)
    }
}

impl<T: Named> List<T> {
    pub(crate) fn push(&mut self, one: T) {
        let place = self.all.len();
        self.places.entry(one.name().to_owned()).or_insert(place);
        self.all.push(one);
    }
}

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List {
            all: Vec::new(),
            places: HashMap::new(),
        }
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.all
    }
}

impl<T> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all
    }
}

impl<'l, T> IntoIterator for &'l List<T> {
    type Item = &'l T;
    type IntoIter = Walk<'l, T>;

    fn into_iter(self) -> Walk<'l, T> {
        self.iter()
    }
}

impl<'l, T> IntoIterator for &'l mut List<T> {
    type Item = &'l mut T;
    type IntoIter = std::slice::IterMut<'l, T>;

    fn into_iter(self) -> std::slice::IterMut<'l, T> {
        self.all.iter_mut()
    }
}

/// The declarations of a list in order, each of which is counted.
#[derive(Debug)]
pub struct Walk<'l, T>(std::slice::Iter<'l, T>);

impl<T> Clone for Walk<'_, T> {
    fn clone(&self) -> Self {
        Walk(self.0.clone())
    }
}

impl<'l, T> Iterator for Walk<'l, T> {
    type Item = &'l T;

    fn next(&mut self) -> Option<&'l T> {
        step();
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> DoubleEndedIterator for Walk<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        step();
        self.0.next_back()
    }
}

impl<T> ExactSizeIterator for Walk<'_, T> {}
