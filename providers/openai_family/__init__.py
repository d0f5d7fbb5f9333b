"""Chat completions as OpenAI and its many relatives stream them (DIALECTS 1)."""
