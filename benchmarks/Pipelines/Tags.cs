#pragma warning disable MA0048, SA1402 // Forty tags, one line each.
namespace Benchmarks.Pipelines;

internal struct P00 : ITag
{
    public static int Value => 3;
}

internal struct P01 : ITag
{
    public static int Value => 10;
}

internal struct P02 : ITag
{
    public static int Value => 17;
}

internal struct P03 : ITag
{
    public static int Value => 24;
}

internal struct P04 : ITag
{
    public static int Value => 31;
}

internal struct P05 : ITag
{
    public static int Value => 38;
}

internal struct P06 : ITag
{
    public static int Value => 45;
}

internal struct P07 : ITag
{
    public static int Value => 52;
}

internal struct P08 : ITag
{
    public static int Value => 59;
}

internal struct P09 : ITag
{
    public static int Value => 66;
}

internal struct P10 : ITag
{
    public static int Value => 73;
}

internal struct P11 : ITag
{
    public static int Value => 80;
}

internal struct P12 : ITag
{
    public static int Value => 87;
}

internal struct P13 : ITag
{
    public static int Value => 94;
}

internal struct P14 : ITag
{
    public static int Value => 101;
}

internal struct P15 : ITag
{
    public static int Value => 108;
}

internal struct P16 : ITag
{
    public static int Value => 115;
}

internal struct P17 : ITag
{
    public static int Value => 122;
}

internal struct P18 : ITag
{
    public static int Value => 129;
}

internal struct P19 : ITag
{
    public static int Value => 136;
}

internal struct P20 : ITag
{
    public static int Value => 143;
}

internal struct P21 : ITag
{
    public static int Value => 150;
}

internal struct P22 : ITag
{
    public static int Value => 157;
}

internal struct P23 : ITag
{
    public static int Value => 164;
}

internal struct P24 : ITag
{
    public static int Value => 171;
}

internal struct P25 : ITag
{
    public static int Value => 178;
}

internal struct P26 : ITag
{
    public static int Value => 185;
}

internal struct P27 : ITag
{
    public static int Value => 192;
}

internal struct P28 : ITag
{
    public static int Value => 199;
}

internal struct P29 : ITag
{
    public static int Value => 206;
}

internal struct P30 : ITag
{
    public static int Value => 213;
}

internal struct P31 : ITag
{
    public static int Value => 220;
}

internal struct P32 : ITag
{
    public static int Value => 227;
}

internal struct P33 : ITag
{
    public static int Value => 234;
}

internal struct P34 : ITag
{
    public static int Value => 241;
}

internal struct P35 : ITag
{
    public static int Value => 248;
}

internal struct P36 : ITag
{
    public static int Value => 255;
}

internal struct P37 : ITag
{
    public static int Value => 262;
}

internal struct P38 : ITag
{
    public static int Value => 269;
}

internal struct P39 : ITag
{
    public static int Value => 276;
}
