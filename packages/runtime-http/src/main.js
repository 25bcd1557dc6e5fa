import { enableCompileCache } from "node:module"

// Before anything large is imported: compiled and type-stripped sources are reused at the next start. This file needs no
// stripping, so that then what strips is not loaded at all (15 MB).
enableCompileCache("node_modules/.cache/node")
await import("./server.ts")
