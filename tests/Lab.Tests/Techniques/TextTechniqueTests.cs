using System.Globalization;
using Lab.Techniques.NameParsing;
using Lab.Techniques.StringCreation;
using Lab.Techniques.StringJoins;

namespace Lab.Tests.Techniques;

/// <summary>All variants of splitting and of building texts agree, edge cases included.</summary>
public sealed class TextTechniqueTests
{
    private static readonly string[] Parts = ["", "a", "ABC_9", " Two Words ", "\u00C9t\u00C9", "\u0130stanbul", "\uD83D\uDE00", new string('X', 127), new string('Y', 500)];

    [Theory]
    [InlineData(null, "")]
    [InlineData("", "")]
    [InlineData(" ", "")]
    [InlineData("Ada", "Ada")]
    [InlineData("Ada Lovelace", "Lovelace")]
    [InlineData("Ada M Lovelace", "Lovelace")]
    [InlineData(" Ada", "Ada")]
    [InlineData("Ada ", "")]
    [InlineData("Ada  Lovelace", "Lovelace")]
    [InlineData("Ada\tLovelace", "Ada\tLovelace")]
    [InlineData("Ada\u00A0M \u00C5ngstr\u00F6m", "\u00C5ngstr\u00F6m")]
    public void LastName_AnyName_EveryVariantGivesTheSame(string? name, string last)
    {
        LastName.Original(name).ShouldBe(last);
        LastName.Substring(name).ShouldBe(last);
        LastName.SpanBased(name).ToString().ShouldBe(last);
        LastName.SplitRanges(name).ToString().ShouldBe(last);
    }

    [Fact]
    public void LastName_RandomNames_EveryVariantGivesTheSame()
    {
        Random random = new(1);
        for (int round = 0; round < 2_000; round++)
        {
            string name = new([.. Enumerable.Range(0, random.Next(12)).Select(_ => " aB"[random.Next(3)])]);
            string last = LastName.Original(name);
            (LastName.Substring(name), LastName.SpanBased(name).ToString(), LastName.SplitRanges(name).ToString()).ShouldBe((last, last, last));
        }
    }

    [Fact]
    public void LowerPath_AnyParts_EveryVariantGivesTheSame()
    {
        foreach (string first in Parts)
        {
            foreach (string second in Parts)
            {
                foreach (string third in Parts)
                {
                    string path = LowerPath.Original(first, second, third);
                    LowerPath.Builder(first, second, third).ShouldBe(path);
                    LowerPath.OnTheStack(first, second, third).ShouldBe(path);
                    LowerPath.Create(first, second, third).ShouldBe(path);
                }
            }
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(10)]
    [InlineData(17)]
    [InlineData(18)]
    [InlineData(1_000)]
    [InlineData(20_000)]
    public void NumberList_AnyCount_EveryVariantGivesTheSame(int count)
    {
        string list = NumberList.Join(count);
        list.ShouldBe(string.Join(", ", Enumerable.Range(0, count).Select(number => number.ToString(CultureInfo.InvariantCulture))));
        NumberList.Builder(count).ShouldBe(list);
        NumberList.ValueBuilder(count).ShouldBe(list);
        NumberList.Handler(count).ShouldBe(list);
    }
}
