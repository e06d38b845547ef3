"""How probable it is that an algorithm is better, and by a factor that matters."""
