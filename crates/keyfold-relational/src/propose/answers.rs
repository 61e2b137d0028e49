//! Questions are answered by patterns: by a key that is there, by an index whose order was open, or by an index
//! that is added.

use super::draft::{
    Compares, Draft, Entity, Filter, Index, Pattern, Place, Range, Returns, Template,
};
use super::entities::Known;
use super::patterns::by;
use super::place::{self, Forms, Wanted, is_partition, label_of};
use super::questions::{Column, Question};
use super::values::{IN_KEY_MAX, Kind};

/// Most rows of a table that are read in one list.
const LISTED_ROWS_MAX: u64 = 10_000;

/// A question about one entity, by its attributes.
struct Single<'q> {
    entity: usize,
    equal: Vec<usize>,
    several: Vec<usize>,
    range: Option<(usize, Range)>,
    filters: Vec<Filter>,
    order: Vec<(usize, bool)>,
    question: &'q Question,
}

/// Answers a question: the position of the pattern, or why there is none.
pub(super) fn answer(
    draft: &mut Draft,
    known: &Known<'_>,
    forms: &Forms,
    question: &Question,
) -> Result<usize, String> {
    let mut entities = Vec::new();
    for table in &question.tables {
        let entity = draft.entities.iter().position(|one| one.table == *table);
        let name = known
            .catalog
            .tables
            .get(*table)
            .map_or_else(String::new, |one| one.shown());
        entities.push(entity.ok_or(format!("{name} is no entity here"))?);
    }
    match entities.as_slice() {
        [one] => {
            let single = Single::of(draft, *one, question)?;
            single.answer(draft, forms)
        }
        _ => together(draft, forms, question, &entities),
    }
}

fn attribute(draft: &Draft, entity: usize, column: usize) -> Result<usize, String> {
    let entity = draft.entities.get(entity);
    let found = entity.and_then(|one| one.of_column(column));
    found.ok_or_else(|| "it compares a column that is left out".to_owned())
}

impl<'q> Single<'q> {
    fn of(draft: &Draft, entity: usize, question: &'q Question) -> Result<Single<'q>, String> {
        let at = |column: &Column| attribute(draft, entity, column.1);
        let all = |columns: &[Column]| {
            let mut all = columns
                .iter()
                .map(at)
                .collect::<Result<Vec<usize>, String>>()?;
            all.sort_unstable();
            all.dedup();
            Ok::<Vec<usize>, String>(all)
        };
        let mut single = Single {
            entity,
            equal: all(&question.equal)?,
            several: all(&question.several)?,
            range: None,
            filters: Vec::new(),
            order: Vec::new(),
            question,
        };
        let found = draft.entities.get(entity);
        for column in &question.folded {
            let at = at(column)?;
            let is_folded = found.is_some_and(|one| {
                let mut uniques = one.uniques.iter();
                uniques.any(|one| one.is_folded && one.attributes == [at])
            });
            if !is_folded {
                return Err(
                    "the function lower is computed for each row, and nothing is unique by it"
                        .to_owned(),
                );
            }
            single.equal.push(at);
        }
        let directions: Vec<bool> = question.order.iter().map(|(_, one)| *one).collect();
        for (column, is_descending) in &question.order {
            let at = at(column)?;
            if !single.equal.contains(&at) {
                single.order.push((at, *is_descending));
            }
        }
        if single.order.len() > 1 && directions.iter().any(|one| Some(one) != directions.first()) {
            return Err(
                "ORDER BY goes up and down at once: a key is read in one direction".to_owned(),
            );
        }
        single.add_ranges(draft)?;
        for (column, compares) in &question.filters {
            let attribute = at(column)?;
            single.filters.push(Filter {
                attribute,
                compares: *compares,
            });
        }
        Ok(single)
    }

    /// One range is that of a key, unless the order is another one; others are judged after reading.
    fn add_ranges(&mut self, draft: &Draft) -> Result<(), String> {
        let mut ranges: Vec<(usize, Range)> = Vec::new();
        for (column, range) in &self.question.ranges {
            let at = attribute(draft, self.entity, column.1)?;
            let known = ranges.iter_mut().find(|(one, _)| *one == at);
            let both = |one: &Range, other: &Range| *one == Range::From && *other == Range::To;
            match known {
                // A range of a key has both of its ends.
                Some((_, one)) if both(one, range) || both(range, one) => *one = Range::Between,
                _ => ranges.push((at, range.clone())),
            }
        }
        let first = self.order.first().map(|(at, _)| *at);
        let in_key = ranges
            .iter()
            .position(|(at, _)| first.is_none_or(|first| first == *at));
        self.range = in_key.map(|at| ranges.remove(at));
        for (attribute, range) in ranges {
            if self.range.as_ref().is_some_and(|(at, _)| *at == attribute) {
                let entity = draft.entities.get(self.entity);
                return Err(format!(
                    "{0} has two bounds, and a key is read from its one end to its other, with both: ask for \
                     {0} >= ... AND {0} <= ..., or pass over the end in the program",
                    entity.map_or("", |one| one.name_of(attribute))
                ));
            }
            let both: &[Compares] = match range {
                Range::From => &[Compares::From],
                Range::After => &[Compares::After],
                Range::To => &[Compares::To],
                Range::Before => &[Compares::Before],
                Range::Between => &[Compares::From, Compares::To],
                Range::Starts => return Err("LIKE beside another order".to_owned()),
            };
            let filters = both.iter().map(|compares| Filter {
                attribute,
                compares: *compares,
            });
            self.filters.extend(filters);
        }
        Ok(())
    }

    fn answer(self, draft: &mut Draft, forms: &Forms) -> Result<usize, String> {
        let Some(entity) = draft.entities.get(self.entity) else {
            return Err("no entity".to_owned());
        };
        if let ([several], true) = (self.several.as_slice(), self.equal.is_empty())
            && entity.identity == [*several]
            && self.filters.is_empty()
            && self.range.is_none()
            && self.order.is_empty()
            && self.question.page.is_none()
        {
            let name = entity.name.many.clone();
            let pattern = Pattern::by(name, self.entity, Returns::Batch, vec![*several]);
            return Ok(draft.add_pattern(pattern));
        }
        if let Some(several) = self.several.first() {
            return Err(format!(
                "{} has one of several values, and a pattern asks for one: ask once for each",
                entity.name_of(*several)
            ));
        }
        let is_within =
            |all: &[usize]| !all.is_empty() && all.iter().all(|one| self.equal.contains(one));
        if is_within(&entity.identity) {
            let at = self.known(draft, &entity.identity)?;
            return self.sole(draft, &entity.identity, at);
        }
        let mut uniques = entity.uniques.iter().map(|one| &one.attributes);
        let unique = uniques.find(|one| is_within(one));
        if let Some(unique) = unique
            && let Ok(at) = self.known(draft, unique)
        {
            return self.sole(draft, unique, at);
        }
        self.listed(draft, forms)
    }

    /// The pattern that returns one item, if nothing else is compared.
    fn sole(&self, draft: &Draft, by: &[usize], at: usize) -> Result<usize, String> {
        let mut equal = self.equal.iter();
        let more = equal.find(|one| !by.contains(one)).copied();
        let more = more.or(self.range.as_ref().map(|(at, _)| *at));
        let more = more.or(self.filters.first().map(|one| one.attribute));
        let Some(more) = more else {
            return Ok(at);
        };
        let entity = draft.entities.get(self.entity);
        let pattern = draft.patterns.get(at);
        Err(format!(
            "{} finds the item, and {} is left to compare: compare it in the program",
            pattern.map_or("a key", |one| &one.name),
            entity.map_or("", |one| one.name_of(more))
        ))
    }

    /// The pattern that returns one item by attributes.
    fn known(&self, draft: &Draft, equal: &[usize]) -> Result<usize, String> {
        let is_it = |one: &Pattern| {
            one.entity == self.entity
                && one.returns == Returns::One
                && Entity::is_set(&one.equal, equal)
        };
        let found = draft.patterns.iter().position(is_it);
        found.ok_or_else(|| "no key answers it".to_owned())
    }

    /// The attributes that the key has to be sorted by.
    fn sorted_by(&self, entity: &Entity) -> Result<Vec<usize>, String> {
        let range = self.range.iter().map(|(at, _)| *at);
        let order = self.order.iter().map(|(at, _)| *at);
        let mut all: Vec<usize> = Vec::new();
        for at in range.chain(order) {
            if !all.contains(&at) {
                all.push(at);
            }
        }
        // What identifies an item stands behind anyway.
        while all.len() > 1 && all.last().is_some_and(|at| entity.identity.contains(at)) {
            all.pop();
        }
        for at in &all {
            let Some(attribute) = entity.attributes.get(*at) else {
                continue;
            };
            let is_ranged = self.range.as_ref().is_some_and(|(one, _)| one == at);
            if (attribute.is_optional || attribute.measured.empty > 0) && !is_ranged {
                return Err(format!(
                    "ORDER BY {}: an item without it would be in no index",
                    attribute.name
                ));
            }
            if matches!(attribute.judged.kind, Kind::Number(None)) {
                return Err(format!(
                    "{} has numbers of any digits, whose order no key keeps: numeric(10,2) would say them",
                    attribute.name
                ));
            }
        }
        Ok(all)
    }

    fn listed(self, draft: &mut Draft, forms: &Forms) -> Result<usize, String> {
        let Some(entity) = draft.entities.get(self.entity) else {
            return Err("no entity".to_owned());
        };
        let sorted = self.sorted_by(entity)?;
        for at in self.equal.iter().chain(&sorted) {
            let attribute = entity.attributes.get(*at);
            if attribute
                .is_some_and(|one| !one.judged.kind.fits_key() || one.measured.longest > IN_KEY_MAX)
            {
                return Err(format!("{} does not fit a key", entity.name_of(*at)));
            }
        }
        let rows = entity.attributes.first().map_or(0, |one| one.measured.rows);
        if self.equal.is_empty() && self.question.page.is_none() && rows > LISTED_ROWS_MAX {
            return Err(format!(
                "it reads all {rows} rows: compare a column, or say LIMIT"
            ));
        }
        if !is_by_key(entity, &self.equal, &sorted) {
            self.index(draft, forms, sorted)?;
        }
        let Some(entity) = draft.entities.get(self.entity) else {
            return Err("no entity".to_owned());
        };
        let name = name_of(draft, entity, &self.equal);
        let mut pattern = Pattern::by(name, self.entity, Returns::Many, self.equal.clone());
        pattern.range = self.range;
        pattern.order = self.order.first().copied();
        pattern.page = self.question.page;
        pattern.filters = self.filters;
        let is_open = |one: &mut Pattern| {
            one.entity == pattern.entity
                && one.returns == Returns::Many
                && one.order.is_none()
                && one.page.is_none()
                && one.range.is_none()
                && one.filters.is_empty()
                && one.answers.is_empty()
                && Entity::is_set(&one.equal, &pattern.equal)
        };
        let is_plain = pattern.range.is_none() && pattern.filters.is_empty();
        // The pattern that is there anyway gets the order that is asked for.
        if is_plain && let Some(at) = draft.patterns.iter_mut().position(is_open) {
            if let Some(one) = draft.patterns.get_mut(at) {
                one.order = pattern.order;
                one.page = pattern.page;
            }
            return Ok(at);
        }
        Ok(draft.add_pattern(pattern))
    }

    /// Finds an index, gives one its order, or adds one.
    fn index(&self, draft: &mut Draft, forms: &Forms, sorted: Vec<usize>) -> Result<(), String> {
        let wanted = |entity: &Entity, label: Option<String>| Wanted {
            label: label.unwrap_or_else(|| match self.equal.is_empty() {
                true => format!("{}_LIST", entity.name.label),
                false => label_of(entity, &self.equal),
            }),
            equal: self.equal.clone(),
            order: sorted.clone(),
        };
        let Some(entity) = draft.entities.get(self.entity) else {
            return Err("no entity".to_owned());
        };
        let is_by = |one: &&Index| Entity::is_set(&one.equal, &self.equal) && !one.is_sole;
        let begins = |one: &Index| {
            let mut fields = one.sort.fields.iter().map(|one| one.attribute);
            sorted.iter().all(|at| fields.next() == Some(*at))
        };
        let indexes = entity.indexes.iter().filter(is_by);
        if indexes.clone().any(begins) {
            return Ok(());
        }
        let open = indexes
            .into_iter()
            .find(|one| one.order.is_empty())
            .map(|one| one.slot);
        match open {
            Some(slot) => {
                let wanted = wanted(entity, None);
                let sort = place::sort_of(&draft.entities, forms, self.entity, &wanted);
                let entity = draft.entities.get_mut(self.entity);
                let indexes = entity.map(|one| &mut one.indexes);
                if let Some(index) =
                    indexes.and_then(|all| all.iter_mut().find(|one| one.slot == slot))
                {
                    index.sort = sort;
                    index.order = sorted;
                }
                Ok(())
            }
            None => {
                let wanted = wanted(entity, None);
                let added = place::add_index(draft, forms, self.entity, &wanted);
                added
                    .map(|_| ())
                    .ok_or_else(|| "no index is left for it".to_owned())
            }
        }
    }
}

/// Whether the entity's own key begins with attributes, and goes on with others.
fn is_by_key(entity: &Entity, equal: &[usize], sorted: &[usize]) -> bool {
    let partition: Vec<usize> = entity
        .partition
        .fields
        .iter()
        .map(|one| one.attribute)
        .collect();
    if partition.is_empty() || !partition.iter().all(|one| equal.contains(one)) {
        return false;
    }
    let mut fields = entity.sort.fields.iter().map(|one| one.attribute);
    let more = equal.len() - partition.len();
    let begins = fields.by_ref().take(more).all(|one| equal.contains(&one));
    begins && sorted.iter().all(|one| fields.next() == Some(*one))
}

fn name_of(draft: &Draft, entity: &Entity, equal: &[usize]) -> String {
    let many = &entity.name.many;
    if equal.is_empty() {
        return format!("all_{many}");
    }
    let link = entity
        .links
        .iter()
        .find(|one| Entity::is_set(&one.attributes, equal));
    let target = link.and_then(|one| draft.entities.get(one.target));
    let named = equal.iter().map(|one| entity.name_of(*one));
    if let Some(target) = target
        && target
            .identity
            .iter()
            .map(|one| target.name_of(*one))
            .eq(named.clone())
    {
        return format!("{many}_of_{}", target.name.one);
    }
    format!("{many}_by_{}", by(named))
}

/// The columns that are equal to some, as joins say.
fn spread(question: &Question, from: Vec<Column>) -> Vec<Column> {
    let mut all = from;
    loop {
        let before = all.len();
        for (one, other) in &question.joins {
            for (one, other) in [(one, other), (other, one)] {
                if all.contains(one) && !all.contains(other) {
                    all.push(*other);
                }
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

/// The attributes of a table of a question among columns.
fn of_table(entity: &Entity, position: usize, columns: &[Column]) -> Vec<usize> {
    let own = columns.iter().filter(|(table, _)| *table == position);
    own.filter_map(|(_, column)| entity.of_column(*column))
        .collect()
}

/// Answers a question about several tables, where one collection holds them.
fn together(
    draft: &mut Draft,
    forms: &Forms,
    question: &Question,
    entities: &[usize],
) -> Result<usize, String> {
    if question.page.is_some() {
        return Err(
            "LIMIT counts the rows of a join, and no items: ask without it, or for one entity after the other"
                .to_owned(),
        );
    }
    let has_conditions = !question.ranges.is_empty()
        || !question.filters.is_empty()
        || !question.several.is_empty()
        || !question.folded.is_empty();
    for (position, root) in entities.iter().enumerate() {
        if has_conditions || !is_root(draft, question, position, *root) {
            continue;
        }
        let others: Vec<(usize, usize)> = entities.iter().copied().enumerate().collect();
        let others: Vec<(usize, usize)> = others.into_iter().filter(|(_, at)| at != root).collect();
        if others.len() + 1 != entities.len() {
            continue;
        }
        let given = spread(question, question.equal.clone());
        let lies_there = |(position, at): &(usize, usize)| {
            let known = draft.entities.get(*at);
            known.is_some_and(|one| {
                let known = of_table(one, *position, &given);
                let mut fields = one.partition.fields.iter();
                fields.all(|field| known.contains(&field.attribute))
            })
        };
        let is_it = |one: &Pattern| {
            one.entity == *root
                && one.returns == Returns::Collection
                && others.iter().all(|(_, other)| one.beside.contains(other))
        };
        if others.iter().all(lies_there)
            && let Some(at) = draft.patterns.iter().position(is_it)
        {
            return Ok(at);
        }
        if let [(position, child)] = others.as_slice()
            && let Some(entity) = draft.entities.get(*child)
        {
            let known = of_table(entity, *position, &given);
            if let Some(at) = by_index(draft, forms, *root, (*child, &known)) {
                return Ok(at);
            }
        }
    }
    let name = |at: &usize| draft.entities.get(*at).map_or("", |one| &one.name.entity);
    let names: Vec<&str> = entities.iter().map(name).collect();
    Err(format!(
        "{} are in no one collection: ask for one after the other, or let `join` in `from` bring what is needed",
        names.join(" and ")
    ))
}

/// Whether all that a question compares is the identity of an entity, and what is equal to it.
fn is_root(draft: &Draft, question: &Question, position: usize, root: usize) -> bool {
    let Some(entity) = draft.entities.get(root) else {
        return false;
    };
    let columns = entity.identity.iter();
    let columns = columns.filter_map(|at| entity.attributes.get(*at));
    let own = columns.map(|one| (position, one.column)).collect();
    let like_own = spread(question, own);
    let given = spread(question, question.equal.clone());
    let known = of_table(entity, position, &given);
    entity.identity.iter().all(|at| known.contains(at))
        && question.equal.iter().all(|one| like_own.contains(one))
}

/// Puts an entity into the index by which its children are found.
fn by_index(
    draft: &mut Draft,
    forms: &Forms,
    root: usize,
    (child, given): (usize, &[usize]),
) -> Option<usize> {
    let (parent, entity) = (draft.entities.get(root)?, draft.entities.get(child)?);
    let mut links = entity.links.iter();
    let is_given = |all: &[usize]| all.iter().all(|at| given.contains(at));
    let link = links.find(|one| one.target == root && one.is_exact && is_given(&one.attributes))?;
    let index = entity
        .indexes
        .iter()
        .find(|one| one.equal == link.attributes)?;
    let is_free = parent.indexes.iter().all(|one| one.slot != index.slot);
    let is_alone = parent.place == Place::Own && is_partition(&parent.partition, &parent.identity);
    if !is_free || !is_alone {
        return None;
    }
    let mut equal = parent.identity.clone();
    equal.sort_unstable();
    if draft.ruling.no_index.contains(&(parent.table, equal)) {
        return None;
    }
    let name = super::patterns::with(&parent.name.one, &entity.name.many);
    let own = Index {
        slot: index.slot,
        partition: Template {
            label: index.partition.label.clone(),
            fields: parent
                .identity
                .iter()
                .map(|at| forms.field(&draft.entities, root, *at, false))
                .collect(),
        },
        sort: Template {
            label: parent.name.label.clone(),
            fields: Vec::new(),
        },
        equal: parent.identity.clone(),
        order: Vec::new(),
        is_sole: true,
    };
    let mut pattern = Pattern::by(name, root, Returns::Collection, parent.identity.clone());
    pattern.beside = vec![child];
    draft.entities.get_mut(root)?.indexes.push(own);
    Some(draft.add_pattern(pattern))
}
