using System.Text;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Quayside.Messaging.CommandLine.Top;

/// <summary>
/// Redraws a terminal in place, on its alternate screen: no line of an earlier frame stays, and a line longer than the terminal is cut. Without a terminal
/// each frame is printed below the last. <c>q</c> cancels <see cref="Quit"/>. Threads: one.
/// </summary>
internal sealed class TerminalScreen : IDisposable
{
    private const string Escape = "\u001b[";

    // The alternate screen, no cursor, no wrapping.
    private const string Enter = $"{Escape}?1049h{Escape}?25l{Escape}?7l";
    private const string Leave = $"{Escape}?7h{Escape}?25h{Escape}?1049l";
    private const string ToTopLeft = $"{Escape}H";
    private const string ClearLine = $"{Escape}K";
    private const string ClearBelow = $"{Escape}J";

    private const int WidthWithoutTerminal = 240;

    private readonly bool _isTerminal = !Console.IsOutputRedirected && AnsiConsole.Profile.Capabilities.Ansi;
    private readonly CancellationTokenSource _quit = new();

    public TerminalScreen()
    {
        if (_isTerminal)
        {
            Console.Out.Write(Enter);
        }

        if (!Console.IsInputRedirected)
        {
            // A thread of its own, because ReadKey blocks; it ends with the process.
            new Thread(ReadKeys) { IsBackground = true, Name = "keys of top" }.Start();
        }
    }

    /// <summary>Cancelled by the key q.</summary>
    public CancellationToken Quit => _quit.Token;

    /// <summary>Characters per line.</summary>
    public static int Width => Console.IsOutputRedirected ? WidthWithoutTerminal : Math.Max(20, AnsiConsole.Profile.Width);

    /// <summary>The text of a drawing, with ANSI colors if the terminal has them.</summary>
    public static string TextOf(IRenderable drawing, int width, bool ansi)
    {
        using StringWriter text = new();
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(text), Ansi = ansi ? AnsiSupport.Yes : AnsiSupport.No, ColorSystem = ansi ? ColorSystemSupport.Standard : ColorSystemSupport.NoColors });
        console.Profile.Width = width;
        console.Write(drawing);
        return text.ToString();
    }

    public void Show(Func<int, IRenderable> draw)
    {
        string text = TextOf(draw(Width), Width, _isTerminal);
        Console.Out.Write(_isTerminal ? InPlace(text, Console.WindowHeight) : text);
    }

    public void Dispose()
    {
        if (_isTerminal)
        {
            Console.Out.Write(Leave);
        }

        // Not the source: the thread may still cancel it.
    }

    /// <summary>A frame that overwrites the last one: each line is cleared to its end, and what was below the last is cleared.</summary>
    internal static string InPlace(string text, int height)
    {
        string[] lines = text.TrimEnd('\n').Split('\n');
        StringBuilder frame = new(ToTopLeft);
        int shown = lines.Length > height && height > 1 ? height - 1 : lines.Length;
        for (int i = 0; i < shown; i++)
        {
            frame.Append(lines[i].TrimEnd('\r')).Append(ClearLine).Append(i < shown - 1 || shown < lines.Length ? "\r\n" : string.Empty);
        }

        return (shown < lines.Length ? frame.Append($"({lines.Length - shown} more lines: enlarge the terminal)").Append(ClearLine) : frame).Append(ClearBelow).ToString();
    }

    private void ReadKeys()
    {
        try
        {
            while (!_quit.IsCancellationRequested)
            {
                if (Console.ReadKey(intercept: true).Key == ConsoleKey.Q)
                {
                    _quit.Cancel();
                }
            }
        }
        catch (Exception exception) when (exception is InvalidOperationException or IOException)
        {
            // The terminal is gone; so is its output, which ends the command.
        }
    }
}
