const text = await navigator?.clipboard?.readText?.();
