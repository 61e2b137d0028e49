//! Programs that must not compile, a mistake in each function. The comment behind a line is the
//! error's code and the beginning of its message, or of a part of it.

#![allow(unused)]

use keyfold_generated::keyfold::typed::{self, Error, Keyfold, Page, Patch, Query};
use keyfold_generated::case_answers::{
    Account, AccountId, AccountKey, AccountPatch, AccountPlan, Address, AnswersClient, Entry,
    FindAccountItem, NewAccount, NewTicket, PairAnswer, PlacesChoice, Ticket, TicketKey,
    TicketPatch, TicketStatus, WholeItem,
};
use keyfold_generated::shop::{
    AsyncShopClient, CreateOrderArguments, Line, NewOrder, NewProduct, NewUser, Order, OrderId,
    OrderItem, OrderKey, OrderPatch, OrderStatus, OrderSummary, OrderWithItemsAnswer, OrderWithItemsItem, ProductId,
    ShopClient, ShopEvent, User, UserId, UserKey, UserPatch,
};

fn another_entitys_id(shop: &ShopClient, order: &OrderId) {
    shop.user(order).ok(); //~ E0308 expected `&UserId`, found `&OrderId`
}

fn a_text_for_an_id(shop: &ShopClient) {
    shop.user("u1").ok(); //~ E0308 expected `&UserId`, found `&str`
}

fn an_id_for_a_text(shop: &ShopClient, user: &UserId) {
    shop.user_by_email(user).ok(); //~ E0308 expected `&str`, found `&UserId`
}

fn a_key_of_another_entity(shop: &ShopClient, key: &UserKey) {
    shop.order.delete(key).ok(); //~ E0308 expected `&OrderKey`, found `&UserKey`
}

fn a_patch_of_another_entity(shop: &ShopClient, key: &OrderKey, patch: &UserPatch) {
    shop.order.update(key, patch).ok(); //~ E0308 expected `&OrderPatch`, found `&UserPatch`
}

fn a_new_one_of_another_entity(shop: &ShopClient, new: &NewUser) {
    shop.order.create(new).ok(); //~ E0308 expected `&NewOrder`, found `&NewUser`
}

fn a_stored_one_for_a_new_one(shop: &ShopClient, user: &User) {
    shop.user.put(user).ok(); //~ E0308 expected `&NewUser`, found `&User`
}

fn an_id_of_another_entity_in_a_key(user: UserId) -> OrderKey {
    OrderKey { order_id: user } //~ E0308 expected `OrderId`, found `UserId`
}

fn a_part_of_a_key_that_is_missing(id: AccountId) -> TicketKey {
    TicketKey { id } //~ E0063 missing field `ticket_id` in initializer of `TicketKey`
}

fn a_part_of_a_key_that_it_does_not_have(order: OrderId) -> OrderKey {
    OrderKey { order_id: order, status: OrderStatus::Paid } //~ E0560 struct `OrderKey` has no field named `status`
}

fn a_key_that_is_changed() -> OrderPatch {
    OrderPatch { order_id: None, ..OrderPatch::default() } //~ E0560 struct `OrderPatch` has no field named `order_id`
}

fn a_required_attribute_that_is_removed() -> OrderPatch {
    OrderPatch { status: Patch::Remove, ..OrderPatch::default() } //~ E0308 expected `Option<OrderStatus>`, found `Patch<_>`
}

fn a_value_for_a_change() -> OrderPatch {
    OrderPatch { status: OrderStatus::Paid, ..OrderPatch::default() } //~ E0308 expected `Option<OrderStatus>`, found `OrderStatus`
}

fn an_option_for_a_patch() -> TicketPatch {
    TicketPatch { assignee: Some("ada".to_owned()), ..TicketPatch::default() } //~ E0308 expected `Patch<String>`, found `Option<String>`
}

fn a_count_that_is_written(new: NewAccount) -> NewAccount {
    NewAccount { tickets: 3, ..new } //~ E0560 struct `NewAccount` has no field named `tickets`
}

fn a_count_that_is_changed() -> AccountPatch {
    AccountPatch { tickets: Some(3), ..AccountPatch::default() } //~ E0560 struct `AccountPatch` has no field named `tickets`
}

fn a_version_that_is_created(new: NewAccount) -> NewAccount {
    NewAccount { v: Some(1), ..new } //~ E0560 struct `NewAccount` has no field named `v`
}

fn a_new_one_for_one_with_a_version(client: &AnswersClient, new: &NewAccount) {
    client.account.put(new).ok(); //~ E0308 expected `&PutAccount`, found `&NewAccount`
}

fn an_attribute_that_is_missing(user_id: UserId, email: String, name: String) -> NewUser {
    NewUser { user_id, email, name } //~ E0063 missing field `created_at` in initializer of `NewUser`
}

fn an_attribute_of_another_type(new: NewUser) -> NewUser {
    NewUser { created_at: "2024-01-15", ..new } //~ E0308 expected `Timestamp`, found `&str`
}

fn a_float_for_an_exact_number(new: NewProduct) -> NewProduct {
    NewProduct { price: 9.99, ..new } //~ E0308 expected `Number`, found floating-point number
}

fn a_fraction_for_a_whole_number(new: NewProduct) -> NewProduct {
    NewProduct { stock: 1.5, ..new } //~ E0308 expected `i64`, found floating-point number
}

fn a_word_that_does_not_exist(shop: &ShopClient) {
    shop.orders_by_status(OrderStatus::Sent); //~ E0599 no variant or associated item named `Sent` found for enum `OrderStatus`
}

fn a_text_for_a_word(shop: &ShopClient) {
    shop.orders_by_status("paid"); //~ E0308 expected `OrderStatus`, found `&str`
}

fn a_word_of_another_attribute(shop: &ShopClient) {
    shop.orders_by_status(TicketStatus::Open); //~ E0308 expected `OrderStatus`, found `TicketStatus`
}

fn an_optional_item_that_is_not_handled(shop: &ShopClient, id: &UserId) -> Result<String, Error> {
    Ok(shop.user(id)?.name) //~ E0609 no field `name` on type `Option<User>`
}

fn an_error_that_is_not_handled(shop: &ShopClient, id: &UserId) -> Option<User> {
    shop.user(id) //~ E0308 expected `Option<User>`, found `Result<Option<User>, Error>`
}

fn an_optional_attribute_that_is_not_handled(ticket: &Ticket) -> i64 {
    ticket.severity + 1 //~ E0369 cannot add `{integer}` to `Option<i64>`
}

fn an_attribute_outside_of_a_copy(order: &OrderSummary) -> &UserId {
    &order.user_id //~ E0609 no field `user_id` on type `&OrderSummary`
}

fn an_attribute_outside_of_only(account: &FindAccountItem) -> &str {
    &account.country //~ E0609 no field `country` on type `&FindAccountItem`
}

fn an_attribute_that_no_item_has(order: &Order) -> &str {
    &order.note //~ E0609 no field `note` on type `&Order`
}

fn an_order_that_a_scan_does_not_have(client: &AnswersClient) {
    client.every_account().backward(); //~ E0599 no method named `backward` found for struct `Query<&Database, Account>`
}

fn a_page_of_one_item(shop: &ShopClient, id: &UserId) {
    shop.user(id).page(); //~ E0599 no method named `page` found for enum `Result<T, E>`
}

fn a_number_of_items_without_a_limit(shop: &ShopClient, id: &UserId) {
    shop.orders_of_user(id).all(); //~ E0061 this method takes 1 argument but 0 arguments were supplied
}

fn items_of_another_kind(shop: &ShopClient, id: &UserId) -> Result<Vec<Order>, Error> {
    shop.orders_of_user(id).all(10) //~ E0308 expected `Result<Vec<Order>, Error>`, found `Result<Vec<OrderSummary>, Error>`
}

fn a_collection_as_one_kind(shop: &ShopClient, id: &OrderId) -> Result<Vec<Order>, Error> {
    shop.order_with_items(id).all(10) //~ E0308 expected `Result<Vec<Order>, Error>`, found `Result<Vec<OrderWithItemsItem>, Error>`
}

fn the_single_item_of_a_whole_as_optional(whole: OrderWithItemsAnswer) -> Option<Order> {
    whole.order //~ E0308 expected `Option<Order>`, found `Order`
}

fn a_whole_of_one_kind(shop: &ShopClient, id: &OrderId) {
    shop.items_of_order(id).whole(10); //~ E0599 the method `whole` exists for struct
}

fn a_kind_that_a_collection_does_not_have(item: OrderWithItemsItem) {
    let OrderWithItemsItem::User(user) = item else { return }; //~ E0599 no variant or associated item named `User` found for enum `OrderWithItemsItem`
}

fn a_kind_that_is_not_handled(item: OrderWithItemsItem) -> Option<Order> {
    match item { //~ E0004 non-exhaustive patterns: `OrderWithItemsItem::OrderItem(_)` not covered
        OrderWithItemsItem::Order(order) => Some(order),
    }
}

fn an_event_that_is_not_handled(event: ShopEvent) -> bool {
    match event { //~ E0004 non-exhaustive patterns: `ShopEvent::Product(_)` not covered
        ShopEvent::User(_) | ShopEvent::Order(_) | ShopEvent::OrderItem(_) => true,
    }
}

fn a_word_that_is_not_handled(status: &OrderStatus) -> bool {
    match status { //~ E0004 non-exhaustive patterns: `&OrderStatus::Shipped` not covered
        OrderStatus::Pending | OrderStatus::Paid => true,
    }
}

fn an_item_that_may_be_absent(pair: PairAnswer) -> Account {
    pair.payee //~ E0308 expected `Account`, found `Option<Account>`
}

fn an_argument_that_is_missing(shop: &ShopClient) {
    shop.user(); //~ E0061 this method takes 1 argument but 0 arguments were supplied
}

fn an_argument_too_many(shop: &ShopClient, id: &UserId) {
    shop.user(id, 10).ok(); //~ E0061 this method takes 1 argument but 2 arguments were supplied
}

fn arguments_in_another_order(shop: &ShopClient, id: &OrderId) {
    shop.set_status(id, OrderStatus::Paid).ok(); //~ E0308 arguments to this method are incorrect
}

fn a_parameter_that_a_pattern_does_not_have() -> PlacesChoice {
    PlacesChoice::Owner //~ E0599 no variant or associated item named `Owner` found for enum `PlacesChoice` in the current scope
}

fn a_choice_of_parameters_without_a_plan() -> PlacesChoice {
    PlacesChoice::CountryCity { city: String::new() } //~ E0063 missing field `country` in initializer of `PlacesChoice`
}

fn a_field_of_a_record_that_is_missing(street: String) -> Address {
    Address { street, zip: None } //~ E0063 missing field `account` in initializer of `Address`
}

fn a_line_without_its_product(item_id: String, price: typed::Number) -> Line {
    Line { item_id, quantity: 1, price } //~ E0063 missing field `product_id` in initializer of `Line`
}

fn a_pattern_that_the_model_does_not_have(shop: &ShopClient) {
    shop.orders_of_product(); //~ E0599 no method named `orders_of_product` found for reference `&ShopClient`
}

fn an_entity_that_the_model_does_not_have(shop: &ShopClient) {
    shop.invoice.delete(); //~ E0609 no field `invoice` on type `&ShopClient`
}

fn a_blocking_database_for_a_client_that_awaits(keyfold: &Keyfold) {
    drop(AsyncShopClient::new(keyfold)); //~ E0308 expected `AsyncKeyfold`, found `Keyfold`
}

async fn a_call_that_is_not_awaited(shop: &AsyncShopClient, id: &UserId) -> Result<Option<User>, Error> {
    shop.user(id) //~ E0308 expected `Result<Option<User>, Error>`, found future
}

fn a_part_of_another_model(shop: &ShopClient, answers: &AnswersClient, new: &NewTicket) {
    shop.transact([answers.ticket.part().create(new)]).ok(); //~ E0277 `[Part<AnswersParts, TicketMade>; 1]` is no transaction of `ShopParts`
}

fn a_call_in_place_of_a_part(shop: &ShopClient, id: &OrderId) {
    shop.transact([shop.set_status(OrderStatus::Paid, id)]).ok(); //~ E0277 `[Result<Written<()>, Error>; 1]` is no transaction of `ShopParts`
}

fn a_part_that_is_given_another_entity(shop: &ShopClient, new: &NewUser) {
    drop(shop.order.part().create(new)); //~ E0308 expected `&NewOrder`, found `&NewUser`
}

fn a_part_with_an_id_of_another_entity(shop: &ShopClient, user: &UserId) {
    drop(shop.part().set_status(OrderStatus::Paid, user)); //~ E0308 expected `&OrderId`, found `&UserId`
}

fn a_batch_of_an_entity_with_copies(shop: &ShopClient, new: &NewOrder) {
    shop.order.put_many([new]).ok(); //~ E0599 the method `put_many` exists for struct
}

fn a_deletion_in_a_batch_of_an_entity_with_a_guard(shop: &ShopClient, key: &UserKey) {
    shop.user.delete_many([key]).ok(); //~ E0599 the method `delete_many` exists for struct
}

fn a_batch_of_keys_of_another_entity(shop: &ShopClient, key: &UserKey) {
    shop.order.get_many([key]).ok(); //~ E0271 type mismatch resolving `<[&UserKey; 1] as IntoIterator>::Item == &OrderKey`
}

fn an_entity_of_a_batch_that_may_be_absent(shop: &ShopClient, key: &OrderKey) -> Vec<Order> {
    shop.order.get_many([key]).unwrap_or_default() //~ E0308 expected `Vec<Order>`, found `Vec<Option<Order>>`
}

fn a_change_whose_image_may_be_absent(change: typed::Change<Order>) -> OrderId {
    change.new.order_id //~ E0609 no field `order_id` on type `Option<Order>`
}

fn a_change_of_an_entity_that_the_model_does_not_have(event: ShopEvent) {
    if let ShopEvent::Invoice(change) = event {} //~ E0599 no variant
}

fn strong_consistency_of_a_call_that_has_been_sent(shop: &ShopClient, id: &UserId) {
    shop.user(id).strong(); //~ E0599 no method named `strong` found for enum `Result<T, E>`
}

fn a_strong_read_of_a_global_index(shop: &ShopClient) {
    shop.strong().user_by_email("ada@example.com").ok(); //~ E0599 no method named `user_by_email` found for struct `ShopClient<Strong>`
}

fn a_strong_query_of_a_global_index(shop: &ShopClient) {
    shop.orders_by_status(OrderStatus::Paid).strong().page().ok(); //~ E0599 no method named `strong` found for struct
}
