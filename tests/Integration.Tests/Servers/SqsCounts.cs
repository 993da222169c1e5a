using System.Runtime.InteropServices;

namespace Integration.Tests.Servers;

/// <summary>Messages of a queue by state; approximate on the real service, exact on fauxqs.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct SqsCounts(int Visible, int InFlight, int Delayed)
{
    public int Total => Visible + InFlight + Delayed;
}
