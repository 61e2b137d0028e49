/** OpenTelemetry's tracer is one of this package. */

import { trace } from "@opentelemetry/api";
import type { Tracer } from "../src/options.js";

export const tracer: Tracer = trace.getTracer("types");
