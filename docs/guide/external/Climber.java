// A hill climber with an adaptive step, for timefair: `use: "external:java Climber.java"`, or, after
// `javac Climber.java`, `use: "external:java -cp FOLDER Climber"`, which starts sooner.
//
// Parameters: step (0.25), the largest move over the width of the bounds; offspring (1), points
// that are tried at a time. It ends when the step has become tiny.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.stream.Stream;

class Climber {
    static final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));

    /** A value by timefair, which writes inf and nan; the end of its input ends this process. */
    static double value() throws IOException {
        String line = input.readLine();
        if (line == null) System.exit(0);
        return switch (line) {
            case "inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            case "nan" -> Double.NaN;
            default -> Double.parseDouble(line);
        };
    }

    static double[] ask(double[]... points) throws IOException {
        StringBuilder text = new StringBuilder();
        if (points.length > 1) text.append("batch ").append(points.length).append('\n');
        for (double[] x : points) {
            for (double xi : x) text.append(xi).append(' ');
            text.append('\n');
        }
        System.out.print(text);
        System.out.flush();
        double[] values = new double[points.length];
        for (int k = 0; k < values.length; k++) values[k] = value();
        return values;
    }

    static double[] numbers(String[] words) {
        return Stream.of(words).skip(1).mapToDouble(Double::parseDouble).toArray();
    }

    static int x, y, z = 521288629, w = 88675123;

    /** A number in [0, 1) by the generator xorshift128 (Marsaglia 2003), the same in any language. */
    static double uniform() {
        int t = x ^ (x << 11);
        x = y;
        y = z;
        z = w;
        w ^= (w >>> 19) ^ t ^ (t >>> 8);
        return Integer.toUnsignedLong(w) / 4294967296.0;
    }

    public static void main(String[] arguments) throws IOException {
        double[] lower = {}, upper = {};
        double step = 0.25;
        int offspring = 1;
        for (String line; !(line = input.readLine()).equals("begin"); ) {
            String[] words = line.split(" ");
            if (words[0].equals("lower")) lower = numbers(words);
            if (words[0].equals("upper")) upper = numbers(words);
            if (words[0].equals("seed")) {
                long seed = Long.parseLong(words[1]);
                x = 123456789 ^ (int) seed;
                y = 362436069 ^ (int) (seed >>> 32);
            }
            if (line.startsWith("parameter step ")) step = Double.parseDouble(words[2]);
            if (line.startsWith("parameter offspring ")) offspring = Integer.parseInt(words[2]);
        }
        double[] best = new double[lower.length];
        for (int i = 0; i < best.length; i++) best[i] = lower[i] + (upper[i] - lower[i]) * uniform();
        double least = ask(best)[0];
        while (step > 1e-9) {
            double[][] tries = new double[offspring][best.length];
            for (double[] point : tries)
                for (int i = 0; i < point.length; i++) {
                    double moved = best[i] + (upper[i] - lower[i]) * step * (2 * uniform() - 1);
                    point[i] = Math.min(Math.max(moved, lower[i]), upper[i]);
                }
            double[] values = ask(tries);
            boolean better = false;
            for (int k = 0; k < offspring; k++)
                if (values[k] < least) {
                    best = tries[k];
                    least = values[k];
                    better = true;
                }
            step *= better ? 1.5 : 0.9;
        }
    }
}
