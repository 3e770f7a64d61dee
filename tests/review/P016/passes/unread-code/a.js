const stream = await navigator.
