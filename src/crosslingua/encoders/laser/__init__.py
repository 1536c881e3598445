"""How LASER (`crosslingua.laser`) is trained: translation into pivot languages (Artetxe and Schwenk 2019)."""
