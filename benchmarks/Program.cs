using System.Runtime.InteropServices;
using Benchmarks.Pipelines;
using Benchmarks.Pipelines.Chains;

// quick probe
Variant v = Enum.Parse<Variant>(args[0]);
Scenario s = Enum.Parse<Scenario>(args[1]);
int depth = int.Parse(args[2]), fl = int.Parse(args[3]);
if (args.Length > 4) VariantCheck.AllAgree(s, depth);
Pipeline.Frames.PooledFrames.Reserve(40_000);
ChainDriver d = new(v, s, depth, fl);
List<double> ns = [];
long bytes = 0;
for (int round = 0; round < 30; round++)
{
    long b = GC.GetAllocatedBytesForCurrentThread();
    long n = 0, start = Cpu.Now();
    while (Cpu.Now() - start < 50_000_000) { for (int i = 0; i < 20; i++) d.Run(); n += 20L * fl; }
    double t = (double)(Cpu.Now() - start) / n;
    bytes = (GC.GetAllocatedBytesForCurrentThread() - b) / n;
    if (round >= 15) ns.Add(t);
}
ns.Sort();
Console.WriteLine($"{v,-17} {s,-10} {depth,3} {fl,5} {ns[ns.Count / 2],10:N1} ns  min {ns[0],10:N1} {bytes,8} B");

static class Cpu
{
    [DllImport("libc")] static extern int clock_gettime(int id, out Ts ts);
    struct Ts { public long S, N; }
    public static long Now() { clock_gettime(3, out Ts t); return t.S * 1_000_000_000 + t.N; }
}
