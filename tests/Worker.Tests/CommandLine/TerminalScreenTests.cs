using Quayside.Messaging.CommandLine.Top;
using Spectre.Console;

namespace Worker.Tests.CommandLine;

public sealed class TerminalScreenTests
{
    [Fact]
    public void Frame_OverALongerOne_LeavesNothingOfIt()
    {
        string[] screen = ["longer line of an earlier frame", "and another", "and a third"];

        string frame = TerminalScreen.InPlace("one\ntwo\n", height: 30);

        Paint(screen, frame).ShouldBe(["one", "two", ""]);
    }

    [Fact]
    public void Frame_HigherThanTheTerminal_SaysHowManyLinesAreMissing()
    {
        string frame = TerminalScreen.InPlace("1\n2\n3\n4\n5\n", height: 3);

        Paint(["", "", ""], frame).ShouldBe(["1", "2", "(3 more lines: enlarge the terminal)"]);
    }

    [Theory]
    [InlineData(40)]
    [InlineData(80)]
    public void Text_WiderThanTheTerminal_IsWrapped(int width)
    {
        string text = TerminalScreen.TextOf(new Text(string.Join(' ', Enumerable.Repeat("a-word-of-a-problem", 12))), width, ansi: false);

        text.Split('\n').ShouldAllBe(line => line.Length <= width);
        text.ShouldNotContain('\u001b');
    }

    /// <summary>What a terminal shows after a frame of home, clear to the end of the line, clear below, and text.</summary>
    private static string[] Paint(string[] screen, string frame)
    {
        int row = 0;
        int column = 0;
        for (int i = 0; i < frame.Length; i++)
        {
            switch (frame[i])
            {
                case '\u001b' when frame[i + 2] == 'H':
                    (row, column, i) = (0, 0, i + 2);
                    break;
                case '\u001b' when frame[i + 2] == 'K':
                    screen[row] = screen[row][..Math.Min(column, screen[row].Length)];
                    i += 2;
                    break;
                case '\u001b' when frame[i + 2] == 'J':
                    screen[row] = screen[row][..Math.Min(column, screen[row].Length)];
                    Array.Fill(screen, string.Empty, row + 1, screen.Length - row - 1);
                    i += 2;
                    break;
                case '\r':
                    column = 0;
                    break;
                case '\n':
                    row++;
                    break;
                default:
                    screen[row] = $"{screen[row][..Math.Min(column, screen[row].Length)]}{frame[i]}{(column < screen[row].Length ? screen[row][(column + 1)..] : string.Empty)}";
                    column++;
                    break;
            }
        }

        return screen;
    }
}
