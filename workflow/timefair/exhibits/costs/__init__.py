"""What an evaluation costs the reader, and which algorithm is best there."""
