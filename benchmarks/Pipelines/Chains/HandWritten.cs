// Forty methods per scenario, written out: a generic method or a loop would be a different program.
using System.Runtime.CompilerServices;

namespace Benchmarks.Pipelines.Chains;

/// <summary>
/// The chain as nested static calls: nothing is composed and nothing can be configured. Not inlined, so that every
/// part costs a call; the chain of depth n starts at part 40 - n.
/// </summary>
internal static class HandWritten
{
    public static ValueTask ReturningAsync(BenchContext context, int depth) => depth switch
    {
        10 => R30(context),
        20 => R20(context),
        40 => R00(context),
        _ => throw new ArgumentOutOfRangeException(nameof(depth), depth, "Only the published depths are written out."),
    };

    public static ValueTask AwaitingAsync(BenchContext context, int depth) => depth switch
    {
        10 => A30(context),
        20 => A20(context),
        40 => A00(context),
        _ => throw new ArgumentOutOfRangeException(nameof(depth), depth, "Only the published depths are written out."),
    };

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R00(BenchContext context)
    {
        context.Enter(P00.Value);
        return R01(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R01(BenchContext context)
    {
        context.Enter(P01.Value);
        return R02(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R02(BenchContext context)
    {
        context.Enter(P02.Value);
        return R03(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R03(BenchContext context)
    {
        context.Enter(P03.Value);
        return R04(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R04(BenchContext context)
    {
        context.Enter(P04.Value);
        return R05(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R05(BenchContext context)
    {
        context.Enter(P05.Value);
        return R06(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R06(BenchContext context)
    {
        context.Enter(P06.Value);
        return R07(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R07(BenchContext context)
    {
        context.Enter(P07.Value);
        return R08(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R08(BenchContext context)
    {
        context.Enter(P08.Value);
        return R09(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R09(BenchContext context)
    {
        context.Enter(P09.Value);
        return R10(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R10(BenchContext context)
    {
        context.Enter(P10.Value);
        return R11(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R11(BenchContext context)
    {
        context.Enter(P11.Value);
        return R12(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R12(BenchContext context)
    {
        context.Enter(P12.Value);
        return R13(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R13(BenchContext context)
    {
        context.Enter(P13.Value);
        return R14(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R14(BenchContext context)
    {
        context.Enter(P14.Value);
        return R15(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R15(BenchContext context)
    {
        context.Enter(P15.Value);
        return R16(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R16(BenchContext context)
    {
        context.Enter(P16.Value);
        return R17(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R17(BenchContext context)
    {
        context.Enter(P17.Value);
        return R18(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R18(BenchContext context)
    {
        context.Enter(P18.Value);
        return R19(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R19(BenchContext context)
    {
        context.Enter(P19.Value);
        return R20(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R20(BenchContext context)
    {
        context.Enter(P20.Value);
        return R21(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R21(BenchContext context)
    {
        context.Enter(P21.Value);
        return R22(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R22(BenchContext context)
    {
        context.Enter(P22.Value);
        return R23(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R23(BenchContext context)
    {
        context.Enter(P23.Value);
        return R24(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R24(BenchContext context)
    {
        context.Enter(P24.Value);
        return R25(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R25(BenchContext context)
    {
        context.Enter(P25.Value);
        return R26(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R26(BenchContext context)
    {
        context.Enter(P26.Value);
        return R27(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R27(BenchContext context)
    {
        context.Enter(P27.Value);
        return R28(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R28(BenchContext context)
    {
        context.Enter(P28.Value);
        return R29(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R29(BenchContext context)
    {
        context.Enter(P29.Value);
        return R30(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R30(BenchContext context)
    {
        context.Enter(P30.Value);
        return R31(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R31(BenchContext context)
    {
        context.Enter(P31.Value);
        return R32(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R32(BenchContext context)
    {
        context.Enter(P32.Value);
        return R33(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R33(BenchContext context)
    {
        context.Enter(P33.Value);
        return R34(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R34(BenchContext context)
    {
        context.Enter(P34.Value);
        return R35(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R35(BenchContext context)
    {
        context.Enter(P35.Value);
        return R36(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R36(BenchContext context)
    {
        context.Enter(P36.Value);
        return R37(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R37(BenchContext context)
    {
        context.Enter(P37.Value);
        return R38(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R38(BenchContext context)
    {
        context.Enter(P38.Value);
        return R39(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask R39(BenchContext context)
    {
        context.Enter(P39.Value);
        return context.EndAsync();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A00(BenchContext context)
    {
        context.Enter(P00.Value);
        await A01(context);
        context.Leave(P00.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A01(BenchContext context)
    {
        context.Enter(P01.Value);
        await A02(context);
        context.Leave(P01.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A02(BenchContext context)
    {
        context.Enter(P02.Value);
        await A03(context);
        context.Leave(P02.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A03(BenchContext context)
    {
        context.Enter(P03.Value);
        await A04(context);
        context.Leave(P03.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A04(BenchContext context)
    {
        context.Enter(P04.Value);
        await A05(context);
        context.Leave(P04.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A05(BenchContext context)
    {
        context.Enter(P05.Value);
        await A06(context);
        context.Leave(P05.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A06(BenchContext context)
    {
        context.Enter(P06.Value);
        await A07(context);
        context.Leave(P06.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A07(BenchContext context)
    {
        context.Enter(P07.Value);
        await A08(context);
        context.Leave(P07.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A08(BenchContext context)
    {
        context.Enter(P08.Value);
        await A09(context);
        context.Leave(P08.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A09(BenchContext context)
    {
        context.Enter(P09.Value);
        await A10(context);
        context.Leave(P09.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A10(BenchContext context)
    {
        context.Enter(P10.Value);
        await A11(context);
        context.Leave(P10.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A11(BenchContext context)
    {
        context.Enter(P11.Value);
        await A12(context);
        context.Leave(P11.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A12(BenchContext context)
    {
        context.Enter(P12.Value);
        await A13(context);
        context.Leave(P12.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A13(BenchContext context)
    {
        context.Enter(P13.Value);
        await A14(context);
        context.Leave(P13.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A14(BenchContext context)
    {
        context.Enter(P14.Value);
        await A15(context);
        context.Leave(P14.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A15(BenchContext context)
    {
        context.Enter(P15.Value);
        await A16(context);
        context.Leave(P15.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A16(BenchContext context)
    {
        context.Enter(P16.Value);
        await A17(context);
        context.Leave(P16.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A17(BenchContext context)
    {
        context.Enter(P17.Value);
        await A18(context);
        context.Leave(P17.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A18(BenchContext context)
    {
        context.Enter(P18.Value);
        await A19(context);
        context.Leave(P18.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A19(BenchContext context)
    {
        context.Enter(P19.Value);
        await A20(context);
        context.Leave(P19.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A20(BenchContext context)
    {
        context.Enter(P20.Value);
        await A21(context);
        context.Leave(P20.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A21(BenchContext context)
    {
        context.Enter(P21.Value);
        await A22(context);
        context.Leave(P21.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A22(BenchContext context)
    {
        context.Enter(P22.Value);
        await A23(context);
        context.Leave(P22.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A23(BenchContext context)
    {
        context.Enter(P23.Value);
        await A24(context);
        context.Leave(P23.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A24(BenchContext context)
    {
        context.Enter(P24.Value);
        await A25(context);
        context.Leave(P24.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A25(BenchContext context)
    {
        context.Enter(P25.Value);
        await A26(context);
        context.Leave(P25.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A26(BenchContext context)
    {
        context.Enter(P26.Value);
        await A27(context);
        context.Leave(P26.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A27(BenchContext context)
    {
        context.Enter(P27.Value);
        await A28(context);
        context.Leave(P27.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A28(BenchContext context)
    {
        context.Enter(P28.Value);
        await A29(context);
        context.Leave(P28.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A29(BenchContext context)
    {
        context.Enter(P29.Value);
        await A30(context);
        context.Leave(P29.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A30(BenchContext context)
    {
        context.Enter(P30.Value);
        await A31(context);
        context.Leave(P30.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A31(BenchContext context)
    {
        context.Enter(P31.Value);
        await A32(context);
        context.Leave(P31.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A32(BenchContext context)
    {
        context.Enter(P32.Value);
        await A33(context);
        context.Leave(P32.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A33(BenchContext context)
    {
        context.Enter(P33.Value);
        await A34(context);
        context.Leave(P33.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A34(BenchContext context)
    {
        context.Enter(P34.Value);
        await A35(context);
        context.Leave(P34.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A35(BenchContext context)
    {
        context.Enter(P35.Value);
        await A36(context);
        context.Leave(P35.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A36(BenchContext context)
    {
        context.Enter(P36.Value);
        await A37(context);
        context.Leave(P36.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A37(BenchContext context)
    {
        context.Enter(P37.Value);
        await A38(context);
        context.Leave(P37.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A38(BenchContext context)
    {
        context.Enter(P38.Value);
        await A39(context);
        context.Leave(P38.Value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask A39(BenchContext context)
    {
        context.Enter(P39.Value);
        await context.EndAsync();
        context.Leave(P39.Value);
    }
}
