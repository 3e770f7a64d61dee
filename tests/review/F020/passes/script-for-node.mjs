#!/usr/bin/env node
await start();
