const policy = trustedTypes.createPolicy("a", { createHTML: (text) => text });
panel.innerHTML = policy.createHTML("<img src=x onerror=run()>");
