//! The style of a map. Its colours follow the light and the dark of the page.

/// CSS for the classes of a map; it names the system's colours of text and ground only, and ten hues.
pub const STYLE: &str = "\
.map { display: block; }
.map text { font: 13px ui-monospace, monospace; fill: CanvasText; white-space: pre; }
.map .name { font-weight: 600; }
.map .sample, .map .only { fill: color-mix(in srgb, CanvasText 72%, Canvas); }
.map .only { font-style: italic; }
.map rect { --hue: CanvasText; fill: light-dark(color-mix(in srgb, var(--hue) 12%, Canvas), color-mix(in srgb, var(--hue) 28%, Canvas)); stroke: light-dark(color-mix(in srgb, var(--hue) 45%, Canvas), color-mix(in srgb, var(--hue) 75%, Canvas)); }
.map .partition rect { fill: Canvas; stroke: color-mix(in srgb, CanvasText 25%, Canvas); }
.map .hue0 rect { --hue: #2a7ab0; }
.map .hue1 rect { --hue: #c2620e; }
.map .hue2 rect { --hue: #2e8b57; }
.map .hue3 rect { --hue: #a23bb5; }
.map .hue4 rect { --hue: #b8860b; }
.map .hue5 rect { --hue: #c23b54; }
.map .hue6 rect { --hue: #178f92; }
.map .hue7 rect { --hue: #6a5acd; }
.map .hue8 rect { --hue: #7a8b1c; }
.map .hue9 rect { --hue: #8b5a3c; }
";
