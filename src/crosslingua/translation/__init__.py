"""Machine translation without parallel text: denoising and on-the-fly back-translation (Lample et al. 2018b)."""
