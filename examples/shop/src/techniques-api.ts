/** ET1 to ET6: the techniques of the design, each a request of the API and of the table. */

import { randomUUID } from "node:crypto";
import { product, user } from "./orders-api.js";
import { BadRequest } from "./errors.js";
import * as routes from "./routes.js";
import { type Asked, bodyOf, listed, numberOf, ok, pageOf, part, plain, type Route, textOf, written } from "./routes.js";
import { shown } from "./said.js";
import * as schema from "./schema.js";
import {
  type MembershipRole,
  OrgId,
  ProductId,
  type ShopClient,
  StoreId,
  UserId,
  ViewId,
} from "./shop.js";

const { date, moment, object, page, problem, text, truth, ulid, uuid, whole, words } = schema;

const store = object({ storeId: text, region: text, city: text, street: text });
const role = words("owner", "admin", "member");
const membership = object({ userId: ulid, orgId: text, role });
const organisation = object({ orgId: text, name: text, members: whole });
const file = object({ orgId: text, path: text, bytes: whole });
const view = object({ productId: text, at: moment, viewId: uuid, expiresAt: moment });
const pages = { limit: whole, after: text };

/** How long a view is kept. */
const VIEW_DAYS = 90;

export function techniquesApi(shop: ShopClient): Route[] {
  return [
    ...sparse(shop),
    ...overloaded(shop),
    ...composite(shop),
    ...organisations(shop),
    ...members(shop),
    ...folders(shop),
    ...days(shop),
  ];
}

function sparse(shop: ShopClient): Route[] {
  return [
    {
      key: "GET /active-users",
      id: "ET1",
      summary: "The active users, newest first, from an index that holds nobody else",
      query: pages,
      answers: { 200: page("users", user), 400: problem },
      answer: async (asked) => listed("users", await shop.activeUsers().page(pageOf(asked))),
    },
    {
      key: "PUT /users/{userId}/active",
      id: "ET1",
      summary: "Makes a user active, or lets one rest",
      body: object({ active: truth }),
      answers: { 200: object({ active: truth }), 400: problem, 404: problem },
      answer: async (asked) => {
        const active = routes.truthOf(bodyOf(asked), "active");
        await shop.User.update({ userId: UserId(part(asked, "userId")) }, { active });
        return ok({ active });
      },
    },
  ];
}

function overloaded(shop: ShopClient): Route[] {
  return [
    {
      key: "GET /products",
      id: "ET2",
      summary: "The products of a category, the cheapest first; with `most`, those up to a price",
      query: { category: text, most: whole, ...pages },
      answers: { 200: page("products", product), 400: problem },
      answer: async (asked) => {
        const category = routes.queried(asked, "category");
        const { most } = asked.query;
        const query =
          most === undefined
            ? shop.productsOfCategory({ category })
            : shop.cheapProducts({ category, most: routes.wholeOf("most", most) });
        return listed("products", await query.page(pageOf(asked)));
      },
    },
  ];
}

function composite(shop: ShopClient): Route[] {
  return [
    {
      key: "GET /stores",
      id: "ET3",
      summary: "The stores of a region, of a city in it, or of a street in that",
      query: { region: text, city: text, street: text, ...pages },
      answers: { 200: page("stores", store), 400: problem },
      answer: async (asked) => {
        const region = routes.queried(asked, "region");
        const { city, street } = asked.query;
        if (city === undefined && street !== undefined) routes.queried(asked, "city");
        const query = shop.stores(city === undefined ? { region } : { region, city, street });
        return listed("stores", await query.page(pageOf(asked)));
      },
    },
    {
      key: "PUT /stores/{storeId}",
      id: "ET3",
      summary: "Writes a store",
      body: object({ region: text, city: text, street: text }),
      answers: { 200: object({ storeId: text }), 400: problem },
      answer: async (asked) => {
        const body = bodyOf(asked);
        const storeId = StoreId(written(part(asked, "storeId"), "storeId"));
        const [region, city, street] = [
          textOf(body, "region"),
          textOf(body, "city"),
          textOf(body, "street"),
        ];
        await shop.Store.put({ storeId, region, city, street });
        return ok({ storeId });
      },
    },
  ];
}

const orgId = (asked: Asked): OrgId => OrgId(part(asked, "orgId"));

function organisations(shop: ShopClient): Route[] {
  return [
    {
      key: "PUT /organisations/{orgId}",
      id: "ET4",
      summary: "Creates an organisation; one that there is stays as it is",
      body: object({ name: text }),
      answers: { 201: object({ orgId: text }), 400: problem, 409: problem },
      answer: async (asked) => {
        const id = OrgId(written(orgId(asked), "orgId"));
        await shop.Organisation.create({ orgId: id, name: textOf(bodyOf(asked), "name") });
        return { status: 201, body: { orgId: id } };
      },
    },
    {
      key: "GET /organisations/{orgId}",
      id: "ET4",
      summary: "An organisation, and how many members it has",
      answers: { 200: organisation, 404: problem },
      answer: async (asked) => {
        const found = await shop.organisation({ orgId: orgId(asked) });
        return found === undefined ? routes.absent("organisation") : ok(plain(found));
      },
    },
  ];
}

function members(shop: ShopClient): Route[] {
  const pair = (asked: Asked): { userId: UserId; orgId: OrgId } => ({
    userId: UserId(part(asked, "userId")),
    orgId: orgId(asked),
  });
  return [
    {
      key: "GET /organisations/{orgId}/members",
      id: "ET4",
      summary: "The members of an organisation, all or of a role, from the index that turns the pair round",
      query: { role, ...pages },
      answers: { 200: page("members", membership), 400: problem },
      answer: async (asked) => {
        const of = asked.query["role"] as MembershipRole | undefined;
        return listed("members", await shop.members({ orgId: orgId(asked), role: of }).page(pageOf(asked)));
      },
    },
    {
      key: "GET /users/{userId}/organisations",
      id: "ET4",
      summary: "The organisations of a user",
      query: pages,
      answers: { 200: page("organisations", membership), 400: problem },
      answer: async (asked) => {
        const userId = UserId(part(asked, "userId"));
        return listed("organisations", await shop.organisationsOfUser({ userId }).page(pageOf(asked)));
      },
    },
    {
      key: "POST /organisations/{orgId}/members/{userId}",
      id: "ET4",
      summary: "A user joins an organisation, with a role",
      body: object({ role }),
      answers: { 201: object({ role }), 400: problem, 404: problem, 409: problem },
      answer: async (asked) => {
        const as = textOf(bodyOf(asked), "role") as MembershipRole;
        await shop.join({ ...pair(asked), role: as });
        return { status: 201, body: { role: as } };
      },
    },
    {
      key: "PUT /organisations/{orgId}/members/{userId}",
      id: "ET4",
      summary: "Gives a member another role, which moves the pair in the index",
      body: object({ role }),
      answers: { 200: object({ role }), 400: problem, 404: problem },
      answer: async (asked) => {
        const as = textOf(bodyOf(asked), "role") as MembershipRole;
        await shop.Membership.update(pair(asked), { role: as });
        return ok({ role: as });
      },
    },
    {
      key: "DELETE /organisations/{orgId}/members/{userId}",
      id: "ET4",
      summary: "A member leaves",
      answers: { 200: object({ left: truth }), 400: problem, 404: problem },
      answer: async (asked) => {
        await shop.Membership.delete(pair(asked));
        return ok({ left: true });
      },
    },
  ];
}

function folders(shop: ShopClient): Route[] {
  return [
    {
      key: "PUT /organisations/{orgId}/files",
      id: "ET5",
      summary: "Writes what is known of a file",
      body: object({ path: text, bytes: whole }),
      answers: { 200: object({ path: text }), 400: problem, 404: problem },
      answer: async (asked) => {
        const body = bodyOf(asked);
        const path = textOf(body, "path");
        const owner = await shop.organisation({ orgId: orgId(asked) });
        if (owner === undefined) return routes.absent("organisation");
        await shop.File.put({ orgId: orgId(asked), path, bytes: numberOf(body, "bytes") });
        return ok({ path });
      },
    },
    {
      key: "GET /organisations/{orgId}/files",
      id: "ET5",
      summary: "All files below a folder: `plans/` has `plans/2026/roof.pdf`",
      query: { folder: text, ...pages },
      answers: { 200: page("files", file), 400: problem },
      answer: async (asked) => {
        const folder = asked.query["folder"] ?? "";
        return listed("files", await shop.filesBelow({ orgId: orgId(asked), folder }).page(pageOf(asked)));
      },
    },
  ];
}

function days(shop: ShopClient): Route[] {
  const id = (asked: Asked): ProductId => ProductId(part(asked, "productId"));
  return [
    {
      key: "POST /products/{productId}/views",
      id: "ET6",
      summary: `Notes that a product was looked at, by default now. It is kept for ${VIEW_DAYS} days`,
      body: object({ "at?": moment }),
      answers: { 201: object({ viewId: uuid, at: moment }), 400: problem, 404: problem },
      answer: async (asked) => {
        const body = bodyOf(asked);
        const at = body["at"] === undefined ? new Date().toISOString() : textOf(body, "at");
        const expiresAt = expiryOf(at);
        const seen = await shop.product({ productId: id(asked) });
        if (seen === undefined) return routes.absent("product");
        const viewId = ViewId(randomUUID());
        await shop.View.create({ productId: id(asked), at, viewId, expiresAt });
        return { status: 201, body: { viewId, at } };
      },
    },
    {
      key: "GET /products/{productId}/views",
      id: "ET6",
      summary: "The views of a product, newest first: of a day, or between two moments",
      query: { day: date, from: moment, to: moment, ...pages },
      called: { at: "to" },
      answers: { 200: page("views", view), 400: problem },
      answer: async (asked) => {
        const { day } = asked.query;
        const query =
          day === undefined
            ? shop.viewsBetween({
                productId: id(asked),
                from: routes.queried(asked, "from"),
                to: routes.queried(asked, "to"),
              })
            : shop.viewsOfDay({ productId: id(asked), day });
        return listed("views", await query.page(pageOf(asked)));
      },
    },
  ];
}

/** The last moment that has a year of four digits. */
const MOMENT_MAX = Date.parse("9999-12-31T23:59:59.999Z");

/** The moment at which a view is forgotten. A moment that is none is the client's to refuse. */
function expiryOf(at: string): string {
  const until = Date.parse(at) + VIEW_DAYS * 86_400_000;
  if (Number.isNaN(until)) return at;
  if (until > MOMENT_MAX) {
    const why = `The moment ${shown(at)} is too far in the future: a view is kept for ${VIEW_DAYS} days after it. Send an earlier one.`;
    throw new BadRequest(why, "at");
  }
  return new Date(until).toISOString();
}
