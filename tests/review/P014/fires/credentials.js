const key = await navigator.credentials.create({ publicKey: options });
