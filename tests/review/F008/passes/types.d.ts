export interface Login { password: string; apiKey?: string; token: `ghp_${string}` }
