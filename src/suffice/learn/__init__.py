"""What a user asks for as a value, the recipe, and what comes of it, the model."""
