/** Types that programs rely on: OpenTelemetry's tracer is one of this package, and factories give what a writer of
 * a generated client takes. */

import { trace } from "@opentelemetry/api";
import type { Writer } from "../src/index.js";
import type { Tracer } from "../src/options.js";
import type { Fakes } from "../src/testing.js";

interface NewNote {
  readonly id: string;
  readonly text?: string;
}

type Notes = Writer<NewNote, Pick<NewNote, "id">, Partial<NewNote>>;

export const tracer: Tracer = trace.getTracer("types");

export function note(fakes: Fakes, writer: Notes): NewNote {
  return fakes.of(writer, { text: "given" }, { User: { userId: "u" } });
}

interface NewBook {
  readonly bookId?: string;
  readonly title: string;
}

type Books = Writer<NewBook, { readonly bookId: string }, Partial<NewBook>, NewBook, object, { readonly bookId: string }>;

export function bookId(fakes: Fakes, writer: Books): string {
  // What a write would make is there.
  return fakes.of(writer, { title: "given" }).bookId;
}

export function wrong(fakes: Fakes, writer: Notes): NewNote {
  // @ts-expect-error: a note has no such attribute.
  return fakes.of(writer, { texts: "given" });
}
