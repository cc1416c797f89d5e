#!/usr/bin/env python3
"""Trains a tiny model of the llama architecture from scratch, on the CPU, for a given number of minutes.

Reads vocab.json, train.ids, train.w, val.ids and val.w (prepare.ts writes them) and writes PREFIX.bin (all
weights, F32, little-endian) and PREFIX.json (dimensions, and the offset of each tensor), which export.ts reads.

    apt-get install -y python3-torch libopenblas0-openmp
    /usr/bin/python3 train.py --data build --out build/model --minutes 42

The defaults are those of the shipped model; training.log is what that run printed. The schedule follows the
clock, so that a run takes as long as it was given on any machine; a faster machine sees more tokens.
"""

import argparse
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

WINDOW = 256  # tokens in a training row; rows may start anywhere in the token stream
CONTEXT = 1024  # declared in the GGUF; beyond WINDOW the model relies on RoPE's extrapolation
NORM_EPSILON = 1e-5
ROPE_BASE = 10_000
ANSWER_WEIGHT = 255  # weight of an answer's token in the .w files
WARM_UP_STEPS = 60
FINAL_RATE = 0.03  # share of the peak rate at the end of the cosine
VALIDATION_TOKENS = 90_000


@dataclass(frozen=True)
class Shape:
    """The model's dimensions."""

    vocabulary: int
    dim: int
    layers: int
    heads: int
    ff: int

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads


class RmsNorm(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + NORM_EPSILON) * self.weight


class Rope:
    """Rotary position embedding over interleaved pairs.

    llama.cpp rotates the llama architecture in the same way, so the export need not permute Q and K.
    """

    def __init__(self, head_dim: int) -> None:
        frequencies = 1.0 / (ROPE_BASE ** (torch.arange(0, head_dim, 2).float() / head_dim))
        angles = torch.outer(torch.arange(WINDOW).float(), frequencies)
        self.cos, self.sin = angles.cos(), angles.sin()

    def __call__(self, x: Tensor) -> Tensor:
        even, odd = x[..., 0::2], x[..., 1::2]
        rotated = (even * self.cos - odd * self.sin, even * self.sin + odd * self.cos)
        return torch.stack(rotated, -1).flatten(-2)


class Block(nn.Module):
    """Attention, then a gated feed-forward layer. The attributes' names are the tensors' names in the GGUF."""

    def __init__(self, shape: Shape, rope: Rope, mask: Tensor) -> None:
        super().__init__()
        self.shape, self.rope, self.mask = shape, rope, mask
        dim, ff = shape.dim, shape.ff
        self.attn_norm, self.ffn_norm = RmsNorm(dim), RmsNorm(dim)
        self.attn_q = nn.Linear(dim, dim, bias=False)
        self.attn_k = nn.Linear(dim, dim, bias=False)
        self.attn_v = nn.Linear(dim, dim, bias=False)
        self.attn_output = nn.Linear(dim, dim, bias=False)
        self.ffn_gate = nn.Linear(dim, ff, bias=False)
        self.ffn_up = nn.Linear(dim, ff, bias=False)
        self.ffn_down = nn.Linear(ff, dim, bias=False)

    def attend(self, x: Tensor) -> Tensor:
        rows = x.shape[0]

        def heads(y: Tensor) -> Tensor:
            return y.view(rows, WINDOW, self.shape.heads, self.shape.head_dim).transpose(1, 2)

        q, k, v = self.rope(heads(self.attn_q(x))), self.rope(heads(self.attn_k(x))), heads(self.attn_v(x))
        attention = F.softmax(q @ k.transpose(-1, -2) * self.shape.head_dim**-0.5 + self.mask, -1)
        return self.attn_output((attention @ v).transpose(1, 2).reshape(rows, WINDOW, self.shape.dim))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attend(self.attn_norm(x))
        h = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h))


class Llama(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        rope = Rope(shape.head_dim)
        mask = torch.full((WINDOW, WINDOW), float("-inf")).triu(1)
        self.token_embd = nn.Embedding(shape.vocabulary, shape.dim)
        self.blk = nn.ModuleList([Block(shape, rope, mask) for _ in range(shape.layers)])
        self.output_norm = RmsNorm(shape.dim)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, 0, 0.02)
        # Each block adds to the residual stream twice. Smaller outputs keep its variance constant over the depth.
        for block in self.blk:
            block.attn_output.weight.data /= math.sqrt(2 * shape.layers)
            block.ffn_down.weight.data /= math.sqrt(2 * shape.layers)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.token_embd(tokens)
        for block in self.blk:
            x = block(x)
        return self.output_norm(x) @ self.token_embd.weight.t()  # the output is tied to the embedding


class Corpus:
    """A token stream with each token's weight in the loss."""

    def __init__(self, folder: Path, name: str) -> None:
        self.ids = np.fromfile(folder / f"{name}.ids", dtype=np.uint16)
        self.weights = np.fromfile(folder / f"{name}.w", dtype=np.uint8)

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, starts) -> tuple[Tensor, Tensor, Tensor]:
        """Inputs, the token that follows each of them, and its weight, 0 to 1."""
        ids = np.stack([self.ids[i : i + WINDOW + 1] for i in starts]).astype(np.int64)
        weights = np.stack([self.weights[i + 1 : i + WINDOW + 1] for i in starts]).astype(np.float32)
        inputs, targets = ids[:, :-1], ids[:, 1:].copy()
        return torch.from_numpy(inputs), torch.from_numpy(targets), torch.from_numpy(weights / ANSWER_WEIGHT)


class RowOrder:
    """The starts of the training rows in random order. Each epoch cuts the stream at another offset."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self.starts = np.random.permutation((tokens - 1) // WINDOW - 1) * WINDOW
        self.position = 0

    def take(self, count: int):
        if self.position + count > len(self.starts):
            starts = np.random.permutation((self.tokens - 1) // WINDOW - 1) * WINDOW
            starts = starts + np.random.randint(0, WINDOW)
            self.starts = starts[starts < self.tokens - WINDOW - 1]
            self.position = 0
        taken = self.starts[self.position : self.position + count]
        self.position += count
        return taken


def token_losses(model: Llama, inputs: Tensor, targets: Tensor) -> Tensor:
    logits = model(inputs)
    return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.reshape(-1), reduction="none")


def training_loss(model: Llama, inputs: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    return (token_losses(model, inputs, targets) * weights.view(-1)).sum() / weights.sum()


def validation_loss(model: Llama, corpus: Corpus) -> float:
    """The mean loss of the answers' tokens. Excludes the questions, which the model need not produce."""
    rows = 8
    losses = []
    model.eval()
    with torch.no_grad():
        for start in range(0, min(len(corpus), VALIDATION_TOKENS) - (rows + 1) * WINDOW, rows * WINDOW):
            inputs, targets, weights = corpus.rows(range(start, start + rows * WINDOW, WINDOW))
            answers = (weights == 1).float()
            losses.append(training_loss(model, inputs, targets, answers).item())
    model.train()
    return sum(losses) / len(losses)


def create_optimizer(model: Llama, rate: float) -> torch.optim.Optimizer:
    matrices = [p for p in model.parameters() if p.dim() == 2]
    norms = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.05}, {"params": norms, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.97))


def learning_rate(peak: float, step: int, progress: float) -> float:
    """A linear warm-up, then a cosine. `progress` is the share of the time that has passed."""
    cosine = 0.5 * (1 + math.cos(math.pi * progress))
    return peak * min(1, (step + 1) / WARM_UP_STEPS) * (cosine * (1 - FINAL_RATE) + FINAL_RATE)


def train(model: Llama, training: Corpus, validation: Corpus, minutes: float, rate: float, batch: int) -> None:
    optimizer = create_optimizer(model, rate)
    order = RowOrder(len(training))
    seconds = minutes * 60
    report_every = max(30, seconds / 20)
    next_report = 0.0
    running = None
    step = 0
    start = time.time()
    while (elapsed := time.time() - start) < seconds:
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(rate, step, elapsed / seconds)
        loss = training_loss(model, *training.rows(order.take(batch)))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        running = loss.item() if running is None else 0.98 * running + 0.02 * loss.item()
        if elapsed >= next_report:
            tokens = step * batch * WINDOW
            speed = tokens / max(time.time() - start, 1e-9)
            print(
                f"{elapsed:6.0f}s step {step} tok {tokens / 1e6:.2f}M train {running:.3f} "
                f"val(answer) {validation_loss(model, validation):.3f} {speed:.0f} tok/s",
                flush=True,
            )
            next_report += report_every
    tokens = step * batch * WINDOW
    print(
        f"final step {step} tok {tokens / 1e6:.2f}M val(answer) {validation_loss(model, validation):.4f}",
        flush=True,
    )


def save(model: Llama, shape: Shape, prefix: Path) -> None:
    """Writes PREFIX.bin and PREFIX.json. Shapes are PyTorch's: rows first."""
    tensors = {}
    offset = 0
    with open(f"{prefix}.bin", "wb") as file:
        for name, parameter in model.named_parameters():
            weights = parameter.detach().numpy().astype("<f4")
            tensors[name] = [offset, list(weights.shape)]
            file.write(weights.tobytes())
            offset += weights.nbytes
    dimensions = {
        "dim": shape.dim,
        "layers": shape.layers,
        "heads": shape.heads,
        "kvHeads": shape.heads,
        "ff": shape.ff,
        "ctx": CONTEXT,
        "trainCtx": WINDOW,
        "ropeBase": ROPE_BASE,
        "eps": NORM_EPSILON,
        "tied": True,
    }
    with open(f"{prefix}.json", "w", encoding="utf-8") as file:
        json.dump({"cfg": dimensions, "tensors": tensors}, file)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains the demo model on the CPU.")
    parser.add_argument("--data", type=Path, default=Path("build"), help="the folder that prepare.ts wrote")
    parser.add_argument("--out", type=Path, default=Path("build/model"), help="prefix of the files to write")
    parser.add_argument("--minutes", type=float, default=42)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--ff", type=int, default=352, help="width of the feed-forward layer")
    parser.add_argument("--rate", type=float, default=0.003, help="peak learning rate")
    parser.add_argument("--batch", type=int, default=8, help=f"rows of {WINDOW} tokens in a step")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    np.random.seed(1)
    with open(options.data / "vocab.json", encoding="utf-8") as file:
        vocabulary = len(json.load(file)["tokens"])
    shape = Shape(vocabulary, options.dim, options.layers, options.heads, options.ff)
    training, validation = Corpus(options.data, "train"), Corpus(options.data, "val")
    model = Llama(shape)
    parameters = sum(p.numel() for p in model.parameters())
    print(f"params {parameters} vocab {vocabulary} train tokens {len(training)}", flush=True)
    train(model, training, validation, options.minutes, options.rate, options.batch)
    save(model, shape, options.out)


if __name__ == "__main__":
    main()
