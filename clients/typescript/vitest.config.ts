import { defineConfig } from "vitest/config";

const source = (name: string) => new URL(`src/${name}.ts`, import.meta.url).pathname;

// Snippets of the README import the package by its name.
const alias = [
  { find: /^skillmount$/, replacement: source("index") },
  { find: /^skillmount\/(ai|mastra)$/, replacement: source("$1") },
];

export default defineConfig({ resolve: { alias }, test: { include: ["tests/*.test.ts"], testTimeout: 30_000, isolate: false } });
